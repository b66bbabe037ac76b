-- Finds labels whose parcels were cancelled at the carrier. Not breaking: older processes ignore the index.

create index shipments_cancelled_by_carrier on shipments (org_id, id) where status = 'cancelled' and voided_at is null;
