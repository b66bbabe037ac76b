-- How shipments were promised, and what on-time figures are grouped by; cut-off and time zone of locations. Not breaking: older
-- processes ignore the new columns.

alter table locations
  add column cutoff_time text,
  add column timezone text;
comment on column locations.cutoff_time is 'Local time, HH:MM, from which on parcels leave on the next day. Null: that of the organization.';
comment on column locations.timezone is 'IANA name. Null: that of the address, else of the organization.';

alter table shipments
  add column carrier_account_id uuid,
  add column zone text,
  add column promise_rule jsonb;
comment on column shipments.carrier_account_id is 'Account of the label. Not a foreign key: figures by account stay when the account is deleted.';
comment on column shipments.zone is 'Zone of the contract, or else of the carrier''s quote.';
comment on column shipments.promise_rule is 'How the promised day was found, for promises of a contract, a quote or the service.';

create index shipments_by_account on shipments (org_id, carrier_account_id, created_at desc, id desc)
  where carrier_account_id is not null;
create index shipments_by_zone on shipments (org_id, zone, created_at desc, id desc) where zone is not null;
create index shipments_by_lane on shipments
  (org_id,
   (upper(coalesce((origin ->> 'provinceCode'), (origin ->> 'province'))) || '-' ||
    upper(coalesce((destination ->> 'provinceCode'), (destination ->> 'province')))),
   created_at desc, id desc)
  where (origin is not null) and (destination is not null);

-- Cancelled, returned and unpromised parcels are listed by the same moment as kept and missed promises.
drop index shipments_by_promise_outcome;
create index shipments_by_outcome on shipments
  (org_id,
   (case when status in ('cancelled', 'returned') then status_at else coalesce(first_attempt_at, late_at) end) desc,
   id desc);
comment on index shipments_by_outcome is
  'By when the promise was kept or missed, or the parcel left out: the end of a cancelled or returned one, the first delivery attempt, or the end of the promised day without one.';
