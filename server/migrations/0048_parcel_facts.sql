-- Names of charges, what a parcel is known by from all its charge lines, and the service name that a price went by; and
-- indexes to list shipments by service, by state and by whether their promise was kept. Not breaking: adds columns and indexes. Comparisons that are there already go by the first line of each parcel until they are imported again.

alter table rate_items
  add column charge_type text,
  -- Of the first line of a parcel: what it was charged in all, and the facts that only its other lines have, as JSON
  -- behind the list in `input`.
  add column parcel text;

-- The name that the service was found by, where that is not the one of the line itself; and whether the price is one for homes.
alter table rate_results add column source_service text, add column residential boolean;

-- When it was decided whether the promised day was kept: the first attempt to deliver, or the end of that day without one.
create index shipments_by_promise_outcome on shipments (org_id, (coalesce(first_attempt_at, late_at)) desc, id desc)
  where promise_ends_at is not null;
create index shipments_by_service on shipments (org_id, (lower(service)), created_at desc, id desc) where service is not null;
create index shipments_by_state on shipments
  (org_id, (upper(coalesce(destination ->> 'provinceCode', destination ->> 'province'))), created_at desc, id desc)
  where destination is not null;
