-- Rate comparisons with several contracts, and their saved scenarios. Not breaking: comparisons that exist have no targets.

alter table rate_comparisons add column targets jsonb;
comment on column rate_comparisons.targets is 'The contracts of a comparison with several; null: only carrier_account_id.';

create table rate_targets (
  comparison_id uuid not null references rate_comparisons (id) on delete cascade,
  number smallint not null,
  card jsonb not null,
  dated_cards jsonb,
  rate_card_id uuid,
  rate_card_version integer,
  rate_card_name text not null,
  totals json,
  summary json,
  primary key (comparison_id, number)
);
comment on table rate_targets is 'Cards and sums of the targets of a comparison from the second on; those of the first are in rate_comparisons.';
comment on column rate_targets.totals is 'Sums over the items processed so far; see summary for the completed ones.';

create table rate_price_columns (
  comparison_id uuid not null references rate_comparisons (id) on delete cascade,
  scenario_id uuid not null,
  revision integer not null,
  target smallint not null,
  chunk_from integer not null,
  cents integer[] not null,
  zones text[],
  weights_mg double precision[],
  service_types text[],
  service_levels text[],
  primary key (comparison_id, revision, scenario_id, target, chunk_from)
);
comment on table rate_price_columns is 'Prices of the targets of a comparison, column by column: one row for thousands of items. Target 0 has the amounts paid, with weights and services.';
comment on column rate_price_columns.scenario_id is 'The scenario with these prices; the id of the comparison: the prices of the contracts.';
comment on column rate_price_columns.chunk_from is 'Position of the first item.';
comment on column rate_price_columns.cents is 'Null: the target has no price for the item.';

create table rate_scenarios (
  id uuid primary key,
  org_id uuid not null,
  comparison_id uuid not null references rate_comparisons (id) on delete cascade,
  name text not null,
  definition jsonb not null,
  revision integer not null,
  result json,
  created_by jsonb not null,
  version integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index rate_scenarios_name_key on rate_scenarios (comparison_id, lower(name));
comment on table rate_scenarios is 'Saved scenarios of comparisons with several contracts, with what they come to.';
comment on column rate_scenarios.revision is 'The revision of the comparison that the result belongs to; 0, without a result: the comparison was a draft.';

-- As rate_items: the comparisons of the organization are looked up once per statement.
do $$
declare
  part text;
begin
  foreach part in array array['rate_targets', 'rate_price_columns'] loop
    execute format('alter table %I enable row level security', part);
    execute format(
      'create policy own_organization on %I using (
         comparison_id in (select parent.id from rate_comparisons parent where parent.org_id = (select current_org())))',
      part);
  end loop;
end $$;

alter table rate_scenarios enable row level security;
create policy own_organization on rate_scenarios using (org_id = (select current_org()));
