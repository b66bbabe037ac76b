-- Renames of accounts, keys, sessions, error codes and event types before the first release; comments on tables and columns
-- whose meaning is not obvious. Breaking: hubs of the previous version must be stopped first.

alter table api_keys rename column maker_is_gone to creator_deleted;
alter table user_sessions rename column proved_at to authenticated_at;
alter table request_log rename column left_out to dropped_count;

-- Subscriptions name event types. Sealed audit entries keep the types of their time.
update webhooks
   set types = array(
     select case type
              when 'user.oidc_bound' then 'user.oidc_linked'
              when 'session.proved' then 'session.reauthenticated'
              when 'session.failed' then 'session.sign_in_failed'
              when 'session.reuse_detected' then 'session.token_reuse_detected'
              when 'api_key.reduced' then 'api_key.scopes_reduced'
              else type
            end
       from unnest(types) with ordinality as named (type, position)
      order by position)
 where types && array['user.oidc_bound', 'session.proved', 'session.failed', 'session.reuse_detected', 'api_key.reduced'];

-- Error codes that callers filter by or that records keep.
create temporary table renamed_codes on commit drop as
select * from (values
  ('sign_in_not_begun', 'sign_in_not_started'),
  ('issuer_refused', 'identity_provider_rejected'),
  ('issuer_unavailable', 'identity_provider_unavailable'),
  ('totp_enrolment_required', 'totp_enrollment_required'),
  ('unknown_account', 'account_not_linked'),
  ('own_account', 'self_lockout'),
  ('credentials_needed', 'credentials_required'),
  ('preview_calls_nobody', 'outbound_disabled_in_preview'),
  ('label_refused', 'label_rejected'),
  ('idempotency_in_progress', 'idempotency_key_in_use'),
  ('cursor_forked', 'cursor_mismatch'),
  ('cursor_too_old', 'cursor_expired')
) as renamed (was, is_now);

update request_log t set code = is_now from renamed_codes where t.code = was;
update task_executions t set error = jsonb_set(error, '{code}', to_jsonb(is_now)) from renamed_codes where error ->> 'code' = was;
update shipment_labels t set failure = jsonb_set(failure, '{code}', to_jsonb(is_now)) from renamed_codes where failure ->> 'code' = was;
update bridges t set last_error = jsonb_set(last_error, '{code}', to_jsonb(is_now)) from renamed_codes where last_error ->> 'code' = was;
update webhooks t set last_error = jsonb_set(last_error, '{code}', to_jsonb(is_now)) from renamed_codes where last_error ->> 'code' = was;
drop table renamed_codes;

-- docs/schema.md shows these. A table or column that has another name by now is skipped: its comment comes with its rename.
do $$
declare
  item record;
begin
  for item in
    select * from (values
      ('organizations', null, 'Tenants of the hub'),
      ('organizations', 'is_operator', 'The organization that operates the hub; its administrators may hold scopes across organizations'),
      ('organizations', 'outbound_hosts', 'Hosts that bridges and carriers may call; empty: all public hosts'),
      ('organizations', 'time_zone', 'Time zone of dates without one'),
      ('organization_domains', null, 'Email domains whose users are linked to identity provider accounts in this organization'),
      ('users', 'oidc_subject', 'Subject of the identity provider account; set at the first sign-in there'),
      ('users', 'password_hash', 'scrypt; null for users who sign in only through the identity provider'),
      ('user_sessions', null, 'A sign-in. Refresh tokens or one cookie belong to it; access tokens name it and end with it'),
      ('user_sessions', 'network', 'Address, or for IPv6 the prefix that its holder can choose within'),
      ('user_sessions', 'authenticated_at', 'Last proof of password or code, which step-up requires'),
      ('user_sessions', 'is_by_issuer', 'Started through the identity provider, where the user also re-authenticates'),
      ('user_sessions', 'cookie_hash', 'Of browser sessions'),
      ('refresh_tokens', null, 'Every refresh token issued in a session; the second use of one revokes the session'),
      ('refresh_tokens', 'family_id', 'The session'),
      ('user_totp', null, 'Secrets of authenticator apps (RFC 6238)'),
      ('user_totp', 'secret', 'Encrypted'),
      ('user_totp', 'confirmed_at', 'Codes are required from then on'),
      ('user_totp', 'last_step', 'Time step of the last code used; a code works once'),
      ('sign_in_attempts', null, 'Failed sign-ins per email address, for pauses and for the audit log'),
      ('sign_in_attempts', 'account', 'Keyed hash of the email address, whether or not it has an account'),
      ('sign_in_attempts', 'user_ids', 'Users with the address, one per organization'),
      ('sign_in_attempts', 'last_try', 'ID of the last counted attempt'),
      ('sign_in_attempts', 'unreported', 'Failures since the last event about them'),
      ('api_keys', 'prefix', 'First characters of the value, which identify the key'),
      ('api_keys', 'created_by', 'User or API key; the key never has more scopes than its creator'),
      ('api_keys', 'creator_deleted', 'The creator was deleted or disabled before keys were revoked with their creators'),
      ('api_keys', 'replaced_by', 'Successor after a rotation'),
      ('user_preferences', 'preferences', 'Interpreted by clients only'),
      ('saved_views', 'owner', 'Caller key of the creator: type and ID'),
      ('idempotency_keys', null, 'Responses stored for repeated requests, kept for 24 hours'),
      ('idempotency_keys', 'fingerprint', 'Of the request; another request under the same key is rejected'),
      ('idempotency_keys', 'claim', 'The attempt that holds the key; an attempt that lost its claim cannot commit'),
      ('request_log', null, 'API requests, without bodies and query strings'),
      ('request_log', 'route', 'Path with parameter names'),
      ('request_log', 'dropped_count', 'Requests dropped on the same node since the previous entry'),
      ('events', null, 'Sealed audit log: gapless sequence and hash chain per organization; append-only'),
      ('events', 'hash', 'SHA-256 of the entry and previous_hash'),
      ('unsealed_events', null, 'Events of committed transactions that are not in the hash chain yet'),
      ('event_items', null, 'Objects named in the items of an event, to find the events of an object'),
      ('audit_heads', null, 'Signed last entry of each audit log, to detect a truncated log'),
      ('removals', null, 'Purged records that the audit log does not mention yet'),
      ('hub_state', null, 'Settings of the database as a whole, such as the preview clock and the outbound pause'),
      ('secret_keys', null, 'Fingerprints of the secret keys in use; the keys themselves are not in the database'),
      ('condition_set_values', 'match_key', 'Normalized value that is compared'),
      ('condition_set_uses', null, 'Records that refer to a condition set, which then cannot be deleted'),
      ('orders', 'hold_until', 'End of the next timed hold'),
      ('order_tags', null, 'Tags of orders, in list order: an index on the array has no order'),
      ('order_changes', null, 'Changes to orders outside of operation runs, for the timeline'),
      ('order_counts', null, 'Increments of the number of orders by status; summed when read and compacted by a worker, so that writers do not wait for each other'),
      ('order_search', null, 'Words of orders for full-text search, prefixed by organization'),
      ('operation_values', null, 'Long values in results of runs, stored once per order'),
      ('task_executions', 'attempt', 'Never decreases; writes of an earlier attempt are rejected'),
      ('task_samples', null, 'Encrypted records of recent executions, to test and replay transformations'),
      ('bridge_cursors', null, 'Position of the next incremental import of a task'),
      ('bridge_tokens', null, 'Access tokens of bridges, encrypted, with a lease for the process that renews one'),
      ('unsent_shipments', null, 'Orders with shipments that their shop has not received yet'),
      ('rate_items', 'input', 'All fields that a price depends on, as a JSON list, since reading columns costs more than pricing'),
      ('rate_item_kinds', null, 'Number and positions of items by every combination of filter values'),
      ('rate_item_kinds', 'positions', 'Four bytes per item, ascending; stored uncompressed so that its beginning can be read alone'),
      ('shipments', 'tracking_key', 'Tracking number without case, spaces and dashes'),
      ('shipment_counts', null, 'Number of shipments by status'),
      ('shipment_day_sums', null, 'Sums for the overview by UTC day'),
      ('pickups', 'address_key', 'Normalized address, to detect a second pickup on the same day')
    ) as items (table_name, column_name, text)
  loop
    if item.column_name is null then
      if to_regclass(item.table_name) is not null then
        execute format('comment on table %I is %L', item.table_name, item.text);
      end if;
    elsif exists (
      select from information_schema.columns
       where table_schema = current_schema() and table_name = item.table_name and column_name = item.column_name) then
      execute format('comment on column %I.%I is %L', item.table_name, item.column_name, item.text);
    end if;
  end loop;
end $$;
