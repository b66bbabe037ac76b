import type { Queryable } from "../../db/database.ts";
import { fromMicros } from "./invoice-amounts.ts";
import { chargeKinds } from "./invoice-line.ts";
import type { InvoiceTotals, ParcelCharges } from "./invoices.schemas.ts";

type Sum = ParcelCharges["totals"][number];
type SumRow = Omit<Sum, "gross" | "discount" | "net"> & {
  grossMicros: number;
  discountMicros: number;
  netMicros: number;
};

const sums = `currency, count(*) as "lineCount", sum(gross_micros)::bigint as "grossMicros",
  sum(discount_micros)::bigint as "discountMicros", sum(net_micros)::bigint as "netMicros"`;

function toSum({ currency, lineCount, grossMicros, discountMicros, netMicros }: SumRow): Sum {
  return {
    currency,
    lineCount,
    gross: fromMicros(grossMicros),
    discount: fromMicros(discountMicros),
    net: fromMicros(netMicros),
  };
}

type KindRow = SumRow & Pick<InvoiceTotals["kinds"][number], "kind" | "parcelCount">;

/** Reads all lines of the invoice by their primary key. */
export async function sumByKind(db: Queryable, orgId: string, id: string): Promise<InvoiceTotals> {
  const ofInvoice = "from invoice_lines where org_id = $1 and invoice_id = $2";
  const [rows, [counted]] = await Promise.all([
    db.query<KindRow>(
      `select kind, count(distinct parcel_number) as "parcelCount", ${sums} ${ofInvoice} group by kind, currency order by currency`,
      [orgId, id],
    ),
    db.query<{ parcels: number }>(`select count(distinct parcel_number) as parcels ${ofInvoice}`, [orgId, id]),
  ]);
  const kinds = rows
    .toSorted((one, other) => chargeKinds.indexOf(one.kind) - chargeKinds.indexOf(other.kind))
    .map((row) => ({ kind: row.kind, parcelCount: row.parcelCount, ...toSum(row) }));
  return { parcelCount: counted!.parcels, kinds };
}

/** By invoice_lines_by_parcel. */
export async function sumOfParcel(db: Queryable, orgId: string, parcel: string): Promise<Sum[]> {
  const rows = await db.query<SumRow>(
    `select ${sums} from invoice_lines where org_id = $1 and parcel_number = $2 group by currency order by currency`,
    [orgId, parcel],
  );
  return rows.map(toSum);
}
