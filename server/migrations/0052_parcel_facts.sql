-- Names of charges, what a parcel is known by from all its charge lines, and the service name that a price went by. Not
-- breaking: adds columns. Comparisons that are there already go by the first line of each parcel until they are imported again.

alter table rate_items
  add column charge_type text,
  -- Of the first line of a parcel: what it was charged in all, and the facts that only its other lines have, as JSON
  -- behind the list in `input`.
  add column parcel text;

-- The name that the service was found by, where that is not the one of the line itself; and whether the price is one for homes.
alter table rate_results add column source_service text, add column residential boolean;
