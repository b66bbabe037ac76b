-- Columns and stored values of carriers, labels, pickups, shipments and rate comparisons take the names the API uses from now
-- on. Breaking: stop older processes first; they read and write the previous names.

alter table shipments rename column tracked_at to last_polled_at;
alter table shipment_labels rename column bought_at to purchased_at;
alter table pickups rename column is_assumed to is_completion_assumed;
alter table rate_results rename column alt_zone to alternative_zone;

alter table shipment_labels drop constraint shipment_labels_status_check;
update shipment_labels set status = 'purchased' where status = 'bought';
alter table shipment_labels add constraint shipment_labels_status_check
  check (status in ('requested', 'purchased', 'failed', 'voided'));

update shipments set promise_source = 'request' where promise_source = 'given';

-- Error codes kept with the record they belong to.
update shipment_labels set failure = jsonb_set(failure, '{code}', '"label_rejected"') where failure ->> 'code' = 'label_refused';
update exceptions
   set code = case code
         when 'label_refused' then 'label_rejected'
         when 'void_refused' then 'void_rejected'
         when 'change_refused' then 'change_rejected'
         when 'cancel_refused' then 'cancel_rejected'
         else 'previous_not_cancelled'
       end
 where kind in ('label', 'pickup')
   and code in ('label_refused', 'void_refused', 'change_refused', 'cancel_refused', 'former_forgotten');

-- Pickup rules that differ from those of the carrier.
update carrier_accounts
   set pickup_rules = (
         select coalesce(jsonb_object_agg(
                  case rule.key
                    when 'sameDay' then 'allowsSameDay'
                    when 'needsWindow' then 'requiresWindow'
                    when 'earliestReady' then 'earliestReadyTime'
                    when 'latestClose' then 'latestCloseTime'
                    else rule.key
                  end,
                  rule.value), '{}')
           from jsonb_each(pickup_rules) as rule)
 where pickup_rules ?| array['sameDay', 'needsWindow', 'earliestReady', 'latestClose'];

-- Rate cards, also the copies that comparisons keep. jsonb prints members by the length of their names, so `base` and `less` are
-- the first of theirs; the values tell `stack` and `isFuelable` from a zone with that name.
create function rename_card_members(card jsonb) returns jsonb language sql immutable as $$
  select regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(card::text,
    '"fuel": \{"base": "', '"fuel": {"appliesTo": "', 'g'),
    '"minimum": \{"less": ', '"minimum": {"reduction": ', 'g'),
    '"stack": "(add|replace)"', '"stacking": "\1"', 'g'),
    '"isFuelable": (true|false)', '"isFuelApplied": \1', 'g'),
    '"longestOver": ', '"longestSideOver": ', 'g'),
    '"secondOver": ', '"secondLongestSideOver": ', 'g')::jsonb
$$;
update rate_cards set card = rename_card_members(card);
update rate_comparisons
   set card = rename_card_members(card),
       source_card = rename_card_members(source_card),
       dated_cards = rename_card_members(dated_cards)
 where card is not null or source_card is not null or dated_cards is not null;
drop function rename_card_members;

update rate_results set reason = 'invalid_zip' where reason = 'bad_zip';
update rate_item_kinds set reason = 'invalid_zip' where reason = 'bad_zip';
update rate_items set parcel = replace(parcel, '"abroad":', '"foreignCountry":') where parcel like '%"abroad":%';
update rate_comparisons
   set summary = replace(replace(summary::text, '"bestOf":', '"cheapestMix":'), '"bad_zip":', '"invalid_zip":')::json,
       totals = replace(totals::text, '"bad_zip":', '"invalid_zip":')::json
 where summary is not null or totals is not null;

-- Webhook subscriptions follow the event types. Events keep the type they were recorded with.
create function rename_event_types(types text[]) returns text[] language sql immutable as $$
  select array_agg(
           case type
             when 'label.bought' then 'label.purchased'
             when 'label.unanswered' then 'label.response_missing'
             when 'label.void_refused' then 'label.void_rejected'
             when 'pickup.unanswered' then 'pickup.response_missing'
             when 'pickup.change_refused' then 'pickup.change_rejected'
             when 'pickup.cancel_refused' then 'pickup.cancel_rejected'
             when 'pickup.former_called_off' then 'pickup.previous_cancelled'
             when 'pickup.former_forgotten' then 'pickup.previous_not_cancelled'
             when 'rate_comparison.started_over' then 'rate_comparison.restarted'
             else type
           end order by n)
    from unnest(types) with ordinality as given (type, n)
$$;
update webhooks set types = rename_event_types(types) where types <> rename_event_types(types);
update webhook_resends set types = rename_event_types(types) where types <> rename_event_types(types);
drop function rename_event_types;

-- The message of pickups that were only recorded, which a confirmation number removes.
update pickups
   set messages = replace(
         messages::text,
         'Nobody was told: this contract is on paper. Call the carrier, and write down its number: PATCH with `confirmationNumber`.',
         'The carrier was not contacted. Call it and record its confirmation number with PATCH and `confirmationNumber`.')::jsonb
 where carrier = 'rate-card'
   and messages::text like '%Nobody was told%';

-- Orders with unsent shipments are queued by queueUnsentShipments in server/src/features/orders from now on.
drop trigger orders_shipped on orders;
drop trigger orders_shipments_changed on orders;
drop function note_unsent_shipments;
