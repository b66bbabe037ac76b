import { Count, Id, Nullable } from "../core/schema.ts";
import { Type } from "../core/type.ts";
import { defineEvent } from "./define-event.ts";

const Text = Type.String();
const invoice = { carrier: Text, number: Text, amount: Type.Number(), currency: Text, lineCount: Count };

/** What happens to invoices of carriers. */
export const invoiceEvents = {
  "invoice.imported": defineEvent("invoice", "A carrier invoice was imported", {
    ...invoice,
    difference: Type.Number({ description: "Other than 0: the lines do not add up to the amount" }),
  }),
  "invoice.audit_requested": defineEvent("invoice", "An audit of a carrier invoice was requested", {
    carrier: Text,
    number: Text,
    carrierAccountId: Nullable(Id),
  }),
  "invoice.audited": defineEvent("invoice", "A carrier invoice was audited", {
    carrier: Text,
    number: Text,
    currency: Text,
    parcels: Count,
    audited: Type.Integer({ minimum: 0, description: "Parcels that were compared with the contract" }),
    findings: Count,
    amount: Type.Number({ description: "Of all findings" }),
  }),
  "invoice.findings_updated": defineEvent("invoice", "Findings about a carrier invoice were decided on", {
    state: Nullable(Text),
    findings: Count,
    amount: Type.Number(),
  }),
  "invoice.deleted": defineEvent("invoice", "A carrier invoice was deleted", invoice),
};
