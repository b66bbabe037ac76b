-- Carrier accounts, their rate cards and zone charts. Not breaking: adds tables only.

create table carrier_accounts (
  id uuid primary key,
  org_id uuid not null references organizations (id),
  name text not null,
  carrier text not null,
  description text not null,
  settings jsonb not null,
  -- Sealed; the names of its fields are kept beside it, since they are all that is ever shown.
  credentials text,
  credential_fields text[] not null,
  -- What differs from the rules of the carrier.
  pickup_rules jsonb not null,
  service_aliases jsonb not null,
  is_active boolean not null,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index carrier_accounts_name_key on carrier_accounts (org_id, lower(name));
create index carrier_accounts_by_org on carrier_accounts (org_id, created_at desc, id desc);

create table rate_cards (
  id uuid primary key,
  org_id uuid not null references organizations (id),
  account_id uuid not null references carrier_accounts (id) on delete cascade,
  -- Counts the uploads of an account.
  number integer not null,
  name text not null,
  currency text not null,
  effective_from date not null,
  effective_to date,
  is_active boolean not null,
  card jsonb not null,
  service_count integer not null,
  created_by jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index rate_cards_number_key on rate_cards (account_id, number);
create index rate_cards_by_account on rate_cards (org_id, account_id, number desc);

create table zone_charts (
  account_id uuid primary key references carrier_accounts (id) on delete cascade,
  org_id uuid not null references organizations (id),
  name text not null,
  rows jsonb not null,
  row_count integer not null,
  number integer not null,
  uploaded_at timestamptz not null
);
create index zone_charts_by_org on zone_charts (org_id);
