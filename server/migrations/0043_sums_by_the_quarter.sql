-- The figures of shipments are summed up by the quarter of an hour, so that a day can be one of any time zone: all of them
-- begin their days at one. Breaking: processes of before have to be stopped first, they know neither the table nor its column.
alter table shipment_days rename to shipment_sums;
alter table shipment_sums rename column day to quarter;
alter table shipment_sums alter column quarter type timestamptz using quarter::timestamp at time zone 'UTC';
alter table shipment_sums rename constraint shipment_days_pkey to shipment_sums_pkey;
alter index shipment_days_by_day rename to shipment_sums_by_quarter;

-- What contributionsOf in server/src/features/shipments/shipment.ts says, for the shipments there are.
delete from shipment_sums;
insert into shipment_sums (org_id, quarter, delivered, transit_count, transit_ms, evaluated, on_time)
select org_id, date_bin('15 minutes', at, 'epoch'), sum(delivered), sum(transit_count), sum(transit_ms), sum(evaluated), sum(on_time)
  from (
    select org_id, delivered_at as at, 1 as delivered, (accepted_at is not null)::int as transit_count,
           coalesce(round(extract(epoch from delivered_at - accepted_at) * 1000), 0)::bigint as transit_ms, 0 as evaluated, 0 as on_time
      from shipments where delivered_at is not null and status not in ('cancelled', 'returned')
    union all
    select org_id, first_attempt_at, 0, 0, 0, 1, (first_attempt_at < promise_ends_at)::int
      from shipments
     where first_attempt_at is not null and promise_ends_at is not null and status not in ('cancelled', 'returned')
  ) as told (org_id, at, delivered, transit_count, transit_ms, evaluated, on_time)
 group by 1, 2;
