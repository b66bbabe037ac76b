-- Working days of organizations, and the customer of an order as a column. Not breaking: older processes ignore the new columns.

alter table organizations
  add column working_days text[] not null default '{mon,tue,wed,thu,fri}',
  add column holidays text[] not null default '{}',
  add column cutoff_time text;
comment on column organizations.working_days is 'Days of the week on which the organization works: mon to sun.';
comment on column organizations.holidays is 'Calendar days, YYYY-MM-DD, on which the organization does not work.';
comment on column organizations.cutoff_time is 'Local time, HH:MM, from which on work starts on the next working day. Null: no cut-off.';

-- A generated column gives old and new orders the same key, whatever the locale of the database does to capital letters. Adding it
-- writes the table once. No hub runs meanwhile, and changing each row in batches would take longer and leave as many dead rows.
alter table orders
  add column customer_key text generated always as (
    coalesce(
      'e:' || nullif(lower(btrim(customer ->> 'email')), ''),
      'b:' || bridge_id::text || ':' || nullif(left(customer ->> 'id', 200), ''))) stored;
comment on column orders.customer_key is
  'Equal for orders of the same customer: the e-mail address in lower case, else the bridge and the customer''s id at the shop. Null: unknown.';

create index orders_by_customer on orders (org_id, customer_key, ordered_at desc, id desc) where customer_key is not null;
