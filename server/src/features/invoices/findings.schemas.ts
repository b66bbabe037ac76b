import type { Static } from "typebox";
import { ActorShape } from "../../core/actor.ts";
import { Count, DateTime, Id, NameList, Nullable, OneOf, optional, pageQuery, Strict } from "../../core/schema.ts";
import { Version } from "../../core/schema.ts";
import { Type } from "../../core/type.ts";
import { confidences, findingKinds, notAuditedReasons } from "./audit/billed-parcel.ts";

const Text = Type.String();
const Day = Type.String({ format: "date" });
const Amount = Type.Number({ description: "In `currency`" });

const findingStates = ["open", "claimed", "credited", "rejected"] as const;
export type FindingState = (typeof findingStates)[number];

const Kind = OneOf(findingKinds, {
  description:
    "base_rate, discount, minimum, fuel, surcharge: the charge differs from the contract. zone, weight, dimensions, residential: the " +
    "parcel was billed with another fact, `amount` is what it costs. duplicate: billed before. voided_label, not_shipped: nothing was " +
    "sent. late_delivery: after the promise of a guaranteed service. adjustment: a correction that the contract does not explain",
});
const Confidence = OneOf(confidences, {
  description:
    "high: follows from the contract and the invoice alone. medium: from the label or shipment. low: from a fact that may be wrong",
});
const State = OneOf(findingStates, {
  description:
    "open: new. claimed: sent to the carrier. credited: a credit covers it. rejected: not claimed, or refused by the carrier",
});

const Evidence = Type.Object({
  rule: Type.String({ description: "The rule of the contract, with the numbers it was applied to" }),
  billed: { ...Amount, description: "What was billed by this rule" },
  expected: { ...Amount, description: "What the rule gives" },
  values: Type.Unsafe<Record<string, string | number | boolean | null>>({
    ...Type.Record(Type.String(), Type.Unknown()),
    description:
      "Values by name, such as billedZone, expectedZone, billableWeight, percent, promisedDate. `fuel`: the fuel in `amount`",
  }),
});

export const Finding = Type.Object({
  id: Id,
  invoiceId: Id,
  invoiceNumber: Text,
  invoiceDate: Nullable(Day),
  account: Nullable(Type.String({ description: "The account that is billed" })),
  carrier: Text,
  trackingNumber: Text,
  kind: Kind,
  code: Nullable(Type.String({ description: "Which surcharge, for kinds that a parcel can have several of" })),
  amount: { ...Amount, description: "What was billed too much, with the fuel on it" },
  creditedAmount: { ...Amount, description: "What credits of the parcel cover of `amount`" },
  currency: Text,
  confidence: Confidence,
  evidence: Evidence,
  service: Nullable(Text),
  shipDate: Nullable(Day),
  state: State,
  note: Nullable(Text),
  decidedBy: Nullable(ActorShape),
  decidedAt: Nullable(DateTime),
  createdAt: DateTime,
  updatedAt: DateTime,
  version: Version,
});
export type Finding = Static<typeof Finding>;

const ofInvoice = {
  kind: Type.Optional(NameList(findingKinds)),
  state: Type.Optional(NameList(findingStates)),
  confidence: Type.Optional(NameList(confidences)),
  ...optional({
    trackingNumber: Type.String({ minLength: 1, maxLength: 100 }),
    shippedFrom: { ...Day, description: "Parcels with this ship date or a later one" },
    shippedTo: { ...Day, description: "Parcels with this ship date or an earlier one" },
  }),
};
const filters = {
  ...ofInvoice,
  ...optional({
    carrier: Type.String({ minLength: 1, maxLength: 100, description: "Case-insensitive" }),
    invoiceId: Id,
  }),
};
const sizes = { limit: 25, max: 1_000 };

export const FindingFilter = Strict(filters);
export type FindingFilter = Static<typeof FindingFilter>;
const sorting = {
  sort: Type.Optional(OneOf(["newest", "amount"], { description: "amount: the largest first. Default: newest" })),
};
export const FindingQuery = pageQuery({ ...filters, ...sorting }, sizes);
export type FindingQuery = Static<typeof FindingQuery>;
export const InvoiceFindingQuery = pageQuery({ ...ofInvoice, ...sorting }, sizes);
export type InvoiceFindingQuery = Static<typeof InvoiceFindingQuery>;

const Sum = { currency: Text, findings: Count, amount: Amount, creditedAmount: Amount };

const findingGroups = ["invoice", "carrier", "service"] as const;
export type FindingGroup = (typeof findingGroups)[number];

export const FindingCountQuery = Strict({
  ...filters,
  groupBy: Type.Optional(OneOf(findingGroups, { description: "Fills `breakdown`" })),
});
export type FindingCountQuery = Static<typeof FindingCountQuery>;

export const maxFindingGroups = 1_000;

export const FindingCounts = Type.Object({
  totals: Type.Array(Type.Object(Sum), { description: "One entry per currency" }),
  groups: Type.Array(Type.Object({ kind: Kind, state: State, ...Sum }), { description: "By kind, state and currency" }),
  breakdown: Type.Array(
    Type.Object({
      name: Nullable(Type.String({ description: "Number of the invoice, carrier, or service; null: not stated" })),
      invoiceId: Nullable({ ...Id, description: "With `groupBy=invoice`" }),
      carrier: Nullable({ ...Text, description: "With `groupBy` invoice or carrier" }),
      ...Sum,
    }),
    {
      description: `By \`groupBy\` and currency, the largest amounts first: up to ${maxFindingGroups}. Empty without it`,
    },
  ),
});
export type FindingCounts = Static<typeof FindingCounts>;

const Note = Nullable(Type.String({ maxLength: 500, description: "Why, or the number of the claim. null removes it" }));

export const FindingPatch = Strict(optional({ state: State, note: Note }), {
  examples: [{ state: "claimed", note: "Claim 4711" }],
});
export type FindingPatch = Static<typeof FindingPatch>;

export const maxFindingsNamed = 1_000;

export const FindingsUpdate = Strict(
  {
    ids: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: maxFindingsNamed })),
    filter: Type.Optional(FindingFilter),
    ...optional({ state: State, note: Note }),
  },
  { examples: [{ filter: { carrier: "UPS", state: "open", confidence: "high" }, state: "claimed" }] },
);
export type FindingsUpdate = Static<typeof FindingsUpdate>;

export const FindingsUpdated = Type.Object({
  matched: Count,
  updated: { ...Count, description: "The others were in this state already" },
});
export type FindingsUpdated = Static<typeof FindingsUpdated>;

const CarrierContract = Strict({
  carrier: Type.String({
    minLength: 1,
    maxLength: 100,
    description: "As the services of the file begin, such as USPS; case-insensitive",
  }),
  carrierAccountId: Id,
});
export type CarrierContract = Static<typeof CarrierContract>;

export const AuditRequest = Strict(
  {
    carrierAccounts: Type.Optional(
      Type.Array(CarrierContract, {
        maxItems: 20,
        description:
          "The contract of each carrier, for files of sellers such as EasyPost and ShipStation. Other parcels have `carrierAccountId`. " +
          "Default: the former ones, else those of the audit whose account is used; empty: none",
      }),
    ),
    carrierAccountId: Type.Optional({
      ...Id,
      description:
        "The account whose rate cards are the contract. Default: the former one, else that of the last audit of the same carrier and " +
        "billed account",
    }),
  },
  { examples: [{}] },
);
export type AuditRequest = Static<typeof AuditRequest>;

export const Audit = Type.Object({
  invoiceId: Id,
  status: OneOf(["not_requested", "queued", "processing", "completed", "failed"]),
  carrierAccountId: Nullable({ ...Id, description: "The contract of all other parcels; null: none is known" }),
  carrierAccounts: Type.Array(CarrierContract, { description: "The contracts of single carriers" }),
  parcels: Count,
  audited: { ...Count, description: "Parcels that were compared with the contract" },
  notAudited: Type.Array(Type.Object({ reason: Text, parcels: Count })),
  error: Nullable(Type.Object({ code: Text, message: Text })),
  requestedAt: Nullable(DateTime),
  finishedAt: Nullable(DateTime),
});
export type Audit = Static<typeof Audit>;

const parcelStatuses = ["audited", "not_audited"] as const;

export const AuditedParcel = Type.Object({
  trackingNumber: Text,
  status: OneOf(parcelStatuses),
  reason: Nullable(
    OneOf(notAuditedReasons, {
      description:
        "Why the contract has no price. no_contract: no account is known. transport_missing: no invoice has the transport of the parcel",
    }),
  ),
  service: Nullable(Text),
  shipDate: Nullable(Day),
  billed: { ...Amount, description: "All charges of the invoice about the parcel, without credits" },
  expected: Nullable({ ...Amount, description: "The price of the contract" }),
  findingAmount: { ...Amount, description: "Of all findings of the parcel" },
  currency: Text,
});
export type AuditedParcel = Static<typeof AuditedParcel>;

export const ParcelQuery = pageQuery(
  optional({ status: OneOf(parcelStatuses), reason: OneOf(notAuditedReasons) }),
  sizes,
);
export type ParcelQuery = Static<typeof ParcelQuery>;

const Fact = Type.Object({ billed: Nullable(Text), expected: Nullable(Text) });

export const ParcelComparison = Type.Object({
  ...AuditedParcel.properties,
  invoiceId: Id,
  carrierAccountId: Nullable(Id),
  rateCard: Nullable(Type.Object({ id: Nullable(Id), version: Nullable(Type.Integer()), name: Text })),
  facts: Type.Object({ zone: Fact, weight: Fact, residential: Fact, service: Fact }),
  charges: Type.Array(
    Type.Object({
      charge: Type.String({ description: "base, discount, fuel, other, or the surcharge" }),
      label: Text,
      billed: Amount,
      expected: Nullable(Amount),
      difference: Nullable({ ...Amount, description: "`billed` less `expected`" }),
    }),
  ),
  explanation: Type.Array(Type.Object({ code: Text, label: Text, amount: Amount, explanation: Text }), {
    description: "The lines of the expected price",
  }),
  findings: Type.Array(Finding),
});
export type ParcelComparison = Static<typeof ParcelComparison>;
