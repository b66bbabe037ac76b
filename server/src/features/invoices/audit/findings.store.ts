import type { Actor } from "../../../core/actor.ts";
import type { Page } from "../../../core/page.ts";
import { mapPage } from "../../../core/page.ts";
import { orNotFound } from "../../../core/resources.ts";
import { splitNames } from "../../../core/schema.ts";
import type { Queryable, Tx } from "../../../db/database.ts";
import type { Condition } from "../../../db/list-page.ts";
import { listPage, meetAll } from "../../../db/list-page.ts";
import { fromMicros } from "../invoice-amounts.ts";
import type {
  Finding,
  FindingCounts,
  FindingFilter,
  FindingGroup,
  FindingQuery,
  FindingState,
} from "../findings.schemas.ts";
import { maxFindingGroups } from "../findings.schemas.ts";

type FindingRow = Omit<Finding, "amount" | "creditedAmount" | "decidedAt" | "createdAt" | "updatedAt"> & {
  amountMicros: number;
  creditedMicros: number;
  decidedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
};

const columns = `t.id, t.invoice_id as "invoiceId", invoice.number as "invoiceNumber", invoice.invoice_date as "invoiceDate",
  invoice.account, t.carrier, t.parcel_number as "trackingNumber", t.kind, nullif(t.code, '') as code,
  t.amount_micros as "amountMicros", t.credited_micros as "creditedMicros", t.currency, t.confidence, t.evidence, t.service,
  t.ship_date as "shipDate", t.state, t.note, t.decided_by as "decidedBy", t.decided_at as "decidedAt",
  t.created_at as "createdAt", t.updated_at as "updatedAt", t.version`;
const joined = "invoice_findings t join invoices invoice on invoice.id = t.invoice_id";

function toFinding({ amountMicros, creditedMicros, decidedAt, createdAt, updatedAt, ...row }: FindingRow): Finding {
  return {
    ...row,
    amount: fromMicros(amountMicros),
    creditedAmount: fromMicros(creditedMicros),
    decidedAt: decidedAt && decidedAt.toISOString(),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

/** Of a request, with the IDs that a bulk change names. */
type Wanted = FindingFilter & { ids?: string[] | undefined };

function conditionsOf(orgId: string, filter: Wanted): Condition[] {
  const names = (text: string | undefined): string[] | null => (text === undefined ? null : splitNames(text));
  return [
    ["t.org_id = ?", orgId],
    ["t.id = any(?::uuid[])", filter.ids],
    ["t.invoice_id = ?", filter.invoiceId],
    ["t.kind = any(?)", names(filter.kind)],
    ["t.state = any(?)", names(filter.state)],
    ["t.confidence = any(?)", names(filter.confidence)],
    ["lower(t.carrier) = lower(?)", filter.carrier],
    ["t.parcel_number = ?", filter.trackingNumber],
    ["t.ship_date >= ?", filter.shippedFrom],
    ["t.ship_date <= ?", filter.shippedTo],
  ];
}

export async function listFindings(db: Queryable, orgId: string, query: FindingQuery): Promise<Page<Finding>> {
  const page = await listPage<FindingRow>(db, query, {
    select: columns,
    from: joined,
    where: conditionsOf(orgId, query),
    orderBy: query.sort === "amount" ? "t.amount_micros desc, t.id desc" : "t.created_at desc, t.id desc",
  });
  return mapPage(page, toFinding);
}

export async function getFinding(db: Queryable, orgId: string, id: string, ending = ""): Promise<Finding> {
  const [row] = await db.query<FindingRow>(
    `select ${columns} from ${joined} where t.org_id = $1 and t.id = $2 ${ending}`,
    [orgId, id],
  );
  return toFinding(orNotFound("finding", row));
}

/** Findings after this one, in the order of their IDs: an export reads them in batches. */
export async function readFindingsAfter(
  db: Queryable,
  orgId: string,
  filter: FindingFilter,
  after: string,
  limit: number,
): Promise<Finding[]> {
  const values: unknown[] = [];
  const where = meetAll([...conditionsOf(orgId, filter), ["t.id > ?", after]], values);
  const rows = await db.query<FindingRow>(
    `select ${columns} from ${joined} where ${where} order by t.id limit $${values.length + 1}`,
    [...values, limit],
  );
  return rows.map(toFinding);
}

/** Amounts are in millionths. */
type FindingSum = {
  kind: Finding["kind"];
  state: FindingState;
  currency: string;
  findings: number;
  amount: number;
  credited: number;
};

export async function sumFindings(db: Queryable, orgId: string, filter: FindingFilter): Promise<FindingSum[]> {
  const values: unknown[] = [];
  return await db.query<FindingSum>(
    `select t.kind, t.state, t.currency, count(*) as findings, sum(t.amount_micros)::bigint as amount,
            sum(t.credited_micros)::bigint as credited
       from invoice_findings t
      where ${meetAll(conditionsOf(orgId, filter), values)}
      group by t.kind, t.state, t.currency
      order by amount desc, t.kind, t.state`,
    values,
  );
}

const groupColumns: Record<FindingGroup, { name: string; invoiceId: string; carrier: string }> = {
  invoice: { name: "invoice.number", invoiceId: "t.invoice_id", carrier: "t.carrier" },
  carrier: { name: "t.carrier", invoiceId: "null::uuid", carrier: "t.carrier" },
  service: { name: "t.service", invoiceId: "null::uuid", carrier: "null::text" },
};

export async function breakDownFindings(
  db: Queryable,
  orgId: string,
  filter: FindingFilter,
  groupBy: FindingGroup,
): Promise<FindingCounts["breakdown"]> {
  const values: unknown[] = [];
  const { name, invoiceId, carrier } = groupColumns[groupBy];
  type Row = Pick<FindingCounts["breakdown"][number], "name" | "invoiceId" | "carrier" | "currency" | "findings">;
  const rows = await db.query<Row & { amount: number; credited: number }>(
    `select ${name} as name, ${invoiceId} as "invoiceId", ${carrier} as carrier, t.currency, count(*) as findings,
            sum(t.amount_micros)::bigint as amount, sum(t.credited_micros)::bigint as credited
       from ${joined}
      where ${meetAll(conditionsOf(orgId, filter), values)}
      group by 1, 2, 3, 4
      order by amount desc, 1, 2
      limit ${maxFindingGroups}`,
    values,
  );
  return rows.map(({ amount, credited, ...row }) => ({
    ...row,
    amount: fromMicros(amount),
    creditedAmount: fromMicros(credited),
  }));
}

export type Decision = { state?: FindingState | undefined; note?: string | null | undefined };

export type Decided = { id: string; invoiceId: string; amount: number; currency: string };

/** Changes all findings that match and are not yet as decided, in one statement. Returns what changed. */
export async function decideFindings(
  tx: Tx,
  orgId: string,
  filter: Wanted,
  { state, note }: Decision,
  { by, at }: { by: Actor; at: Date },
): Promise<Decided[]> {
  const values: unknown[] = [state ?? null, note ?? null, note !== undefined, by, at];
  const where = meetAll(conditionsOf(orgId, filter), values);
  return await tx.query<Decided>(
    `update invoice_findings t
        set state = coalesce($1, t.state),
            note = case when $3 then $2 else t.note end,
            decided_by = $4,
            decided_at = $5,
            updated_at = $5,
            version = t.version + 1
      where ${where}
        and (($1::text is not null and t.state <> $1) or ($3 and t.note is distinct from $2))
     returning t.id, t.invoice_id as "invoiceId", t.amount_micros as amount, t.currency`,
    values,
  );
}

export async function countFindings(db: Queryable, orgId: string, filter: Wanted): Promise<number> {
  const values: unknown[] = [];
  const [row] = await db.query<{ count: number }>(
    `select count(*) as count from invoice_findings t where ${meetAll(conditionsOf(orgId, filter), values)}`,
    values,
  );
  return row!.count;
}
