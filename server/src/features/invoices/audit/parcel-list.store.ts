import type { Page } from "../../../core/page.ts";
import { mapPage } from "../../../core/page.ts";
import type { Queryable } from "../../../db/database.ts";
import { listPage } from "../../../db/list-page.ts";
import { fromMicros } from "../invoice-amounts.ts";
import type { AuditedParcel, ParcelQuery } from "../findings.schemas.ts";

type ParcelRow = Omit<AuditedParcel, "billed" | "expected" | "findingAmount"> & {
  billedMicros: number;
  expectedMicros: number | null;
  findingMicros: number;
};

const columns = `parcel_number as "trackingNumber", status, reason, service, ship_date as "shipDate", billed_micros as "billedMicros",
  expected_micros as "expectedMicros", finding_micros as "findingMicros", currency`;

function toParcel({ billedMicros, expectedMicros, findingMicros, ...row }: ParcelRow): AuditedParcel {
  return {
    ...row,
    billed: fromMicros(billedMicros),
    expected: expectedMicros === null ? null : fromMicros(expectedMicros),
    findingAmount: fromMicros(findingMicros),
  };
}

/** In the order of their numbers, by the primary key. */
export async function listParcels(
  db: Queryable,
  orgId: string,
  invoiceId: string,
  query: ParcelQuery,
): Promise<Page<AuditedParcel>> {
  const page = await listPage<ParcelRow>(db, query, {
    select: columns,
    from: "invoice_parcels",
    where: [
      ["org_id = ?", orgId],
      ["invoice_id = ?", invoiceId],
      ["status = ?", query.status],
      ["reason = ?", query.reason],
    ],
    orderBy: "parcel_number",
  });
  return mapPage(page, toParcel);
}

export async function findParcel(
  db: Queryable,
  orgId: string,
  invoiceId: string,
  number: string,
): Promise<AuditedParcel | undefined> {
  const [row] = await db.query<ParcelRow>(
    `select ${columns} from invoice_parcels where org_id = $1 and invoice_id = $2 and parcel_number = $3`,
    [orgId, invoiceId, number],
  );
  return row && toParcel(row);
}
