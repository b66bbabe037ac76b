-- Lists of a comparison's items that are filtered as fast with 250,000 items as with a few. Not breaking: adds a table and
-- a column. Comparisons that are there already are filtered as before until they are processed anew.

-- The revision that the table describes; null when there are more kinds of items than it can hold.
alter table rate_comparisons add column listed_revision integer;

-- A row for every mix of what items can be filtered by. Written once, in the transaction that shows the revision.
create table rate_item_kinds (
  comparison_id uuid not null,
  revision integer not null,
  code integer not null,
  status text not null,
  reason text,
  zone text,
  basis text,
  -- 1 for something saved, -1 for the opposite, null without a price.
  sign integer,
  service_type text not null,
  items integer not null,
  -- Which items they are, in their order: four bytes each, the lowest first. Of a value that is stored outside and not
  -- compressed the beginning can be read without the rest.
  positions bytea not null,
  primary key (comparison_id, revision, code)
);
alter table rate_item_kinds alter positions set storage external;
