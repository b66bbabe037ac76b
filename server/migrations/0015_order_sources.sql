-- What a bridge last said about each order it delivered: an import takes over what has changed there since, and leaves
-- alone what was only changed here. Not breaking: adds a table. Of orders that are there already nobody knows what was said
-- last, so the first import after this follows the bridge in everything, as all did before.

create table order_sources (
  org_id uuid not null,
  order_id uuid not null,
  -- A short hash for each field, and for each custom field and tag one of its own. No values: they may be personal.
  marks jsonb not null,
  primary key (org_id, order_id)
);
