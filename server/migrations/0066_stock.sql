-- Stock per location, and what the hub has set aside of it for orders. Not breaking: older processes ignore the new tables.

create table stock_levels (
  org_id uuid not null,
  location_id uuid not null references locations (id) on delete cascade,
  sku text not null,
  available double precision not null,
  committed double precision,
  counted_at timestamptz not null,
  bridge_id uuid references bridges (id) on delete set null,
  updated_at timestamptz not null,
  primary key (location_id, sku)
) with (fillfactor = 80);
create index stock_levels_by_sku on stock_levels (org_id, sku, location_id);
create index stock_levels_by_bridge on stock_levels (bridge_id) where bridge_id is not null;
comment on table stock_levels is
  'Copy of the stock that shops and warehouses report, by location and SKU. SKUs are compared exactly.';
comment on column stock_levels.available is 'As the source reports it; negative where the source has oversold.';
comment on column stock_levels.committed is
  'What the source has set aside for its open orders. Null: not reported; available is then without the orders that the source has.';
comment on column stock_levels.counted_at is 'When the source reported the level. An older report does not replace it; a complete pull deletes levels of its bridge that were counted before it began.';
comment on column stock_levels.bridge_id is 'The bridge that reported the level; null: the API.';

create table stock_reservations (
  order_id uuid not null references orders (id) on delete cascade,
  location_id uuid not null references locations (id) on delete cascade,
  sku text not null,
  org_id uuid not null,
  quantity integer not null,
  reserved_at timestamptz not null,
  primary key (order_id, location_id, sku)
);
create index stock_reservations_by_sku on stock_reservations (org_id, sku, location_id);
create index stock_reservations_by_location on stock_reservations (location_id);
comment on table stock_reservations is
  'Units that the action allocate has set aside for orders. A row counts only while the order has this location, so an undo needs no change here.';

do $$
declare
  owned text;
begin
  foreach owned in array array['stock_levels', 'stock_reservations'] loop
    execute format('alter table %I enable row level security', owned);
    execute format('create policy own_organization on %I using (org_id = (select current_org()))', owned);
  end loop;
end $$;
