-- Money, payment, risk, purchase order, gift message and requested date of orders. Not breaking: older processes neither read nor write the new
-- columns, and constant defaults do not rewrite the table.
alter table orders
  add column amounts jsonb not null default '{}',
  add column payment jsonb not null default '{}',
  add column risk_level text,
  add column po_number text,
  add column gift_message text,
  add column requested_delivery_date text;
comment on column orders.amounts is 'What the total consists of, as far as known: subtotal, discounts, shipping, tax, fees, refunded, paid.';
comment on column orders.payment is 'Method and reference of the payment; never card data.';
comment on column orders.requested_delivery_date is 'A day without a time zone (YYYY-MM-DD), as the customer chose it.';
