-- Findings listed by their amount, and import presets for rate comparisons. Not breaking.

create index invoice_findings_by_amount on invoice_findings (org_id, amount_micros desc, id desc);
comment on column import_presets.kind is 'What the files have: orders, invoices or comparisons.';
