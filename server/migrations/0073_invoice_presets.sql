-- Import presets for invoices of carriers. Not breaking: presets that exist are for orders.

alter table import_presets add column kind text not null default 'orders';
comment on column import_presets.kind is 'What the files have: orders or invoices.';
