-- Webhooks that carriers send, and later corrections of label prices. Not breaking: older processes ignore the new tables.

create table carrier_webhooks (
  account_id uuid primary key references carrier_accounts (id) on delete cascade,
  org_id uuid not null,
  url text not null,
  sealed_secret text not null,
  subscribed_at timestamptz,
  attempted_at timestamptz,
  problem text,
  carrier_data jsonb,
  accepted_count bigint not null default 0,
  unmatched_count bigint not null default 0,
  refused_count bigint not null default 0,
  last_received_at timestamptz,
  last_refused_at timestamptz,
  last_refusal text
);
comment on table carrier_webhooks is 'The webhook of a carrier account: where the carrier sends it, and what was received. An account without a row takes no webhooks.';
comment on column carrier_webhooks.sealed_secret is 'What webhooks are verified with: given to the carrier, or by it.';
comment on column carrier_webhooks.subscribed_at is 'The last time the carrier confirmed the subscription. Null: never.';
comment on column carrier_webhooks.attempted_at is 'The last time the carrier was asked for it. It is asked again once a day, and an hour after a failure.';
comment on column carrier_webhooks.problem is 'Why the last attempt failed. Null: it succeeded.';
comment on column carrier_webhooks.unmatched_count is 'News about tracking numbers that the organization does not have.';
comment on column carrier_webhooks.refused_count is 'Webhooks with a wrong or missing signature.';

create table carrier_inbound_webhooks (
  account_id uuid not null references carrier_accounts (id) on delete cascade,
  digest text not null,
  org_id uuid not null,
  received_at timestamptz not null,
  primary key (account_id, digest)
);
create index carrier_inbound_webhooks_by_time on carrier_inbound_webhooks (received_at);
comment on table carrier_inbound_webhooks is 'Webhooks that were applied, to detect repeated deliveries; kept for a week.';
comment on column carrier_inbound_webhooks.digest is 'SHA-256 of the body.';

create table shipment_label_adjustments (
  id uuid primary key,
  org_id uuid not null,
  label_id uuid not null references shipment_labels (id) on delete cascade,
  carrier_account_id uuid not null,
  external_id text not null,
  tracking_number text not null,
  cents bigint not null,
  currency text not null,
  reason text not null,
  weight jsonb,
  received_at timestamptz not null,
  unique (carrier_account_id, external_id)
);
create index shipment_label_adjustments_by_label on shipment_label_adjustments (label_id, received_at, id);
comment on table shipment_label_adjustments is 'What a carrier charged or credited for a label after the purchase, such as for a measured weight.';
comment on column shipment_label_adjustments.carrier_account_id is 'No foreign key: adjustments outlive the account, as labels do.';
comment on column shipment_label_adjustments.external_id is 'The ID at the carrier: the same adjustment is recorded once, and a correction of it replaces the amount.';
comment on column shipment_label_adjustments.cents is 'Smallest unit of the currency; negative for credits.';
comment on column shipment_label_adjustments.weight is 'The weight that the carrier measured.';

do $$
declare
  owned text;
begin
  foreach owned in array array['carrier_webhooks', 'carrier_inbound_webhooks', 'shipment_label_adjustments'] loop
    execute format('alter table %I enable row level security', owned);
    execute format('create policy own_organization on %I using (org_id = (select current_org()))', owned);
  end loop;
end $$;
