-- What a rate comparison was begun with, so that it is not continued with something else. Not breaking: adds a column.

-- A digest of the zone charts, condition sets and service names that its cards are read with.
alter table rate_comparisons add column inputs_digest text;
