import { expect, test } from "vitest";
import { seededRandom } from "../../../core/seeded-random.ts";
import type { AuditParcel } from "../../../testing/invoices/audit-book.ts";
import { audited, auditAccount, auditInvoice, findingsOf } from "../../../testing/invoices/audit-hub.ts";
import { shuffled } from "../../../testing/invoices/invoice-book.ts";
import type { RichFacts } from "../../../testing/invoices/rich-book.ts";
import { richCard, richChart, richParcel, richPlants } from "../../../testing/invoices/rich-book.ts";
import { writeFedex, writeUps } from "../../../testing/invoices/write-invoices.ts";
import { startTestHub } from "../../../testing/test-hub.ts";

const hub = await startTestHub();
const order = (rows: string[][]): string[][] => shuffled(rows, 5);

function makeParcels(seed: number): AuditParcel[] {
  const random = seededRandom(seed);
  let serial = seed * 1_000;
  const tracking = (): string => `1Z999AA1${String(serial++).padStart(10, "0")}`;
  const factsOf = (service: RichFacts["service"]): RichFacts => ({
    service,
    day: random.pick(["2026-02-02", "2026-03-31", "2026-04-01", "2026-04-20"]),
    zone: random.pick(["3", "5"]),
    pounds: 4 + random.below(12) + random.pick([0, 0.4]),
    isHome: random.below(2) === 0,
  });
  return (["GROUND", "2DAY", "CUBIC"] as const).flatMap((service) => [
    ...Array.from({ length: 12 }, () => richParcel(tracking(), factsOf(service))),
    ...Object.values(richPlants[service]).flatMap((plant) => [1, 2, 3].map(() => plant(tracking(), factsOf(service)))),
  ]);
}

test.for([
  { name: "UPS", write: writeUps, seed: 5 },
  { name: "FedEx", write: writeFedex, seed: 6 },
])(
  "$name: errors are found with fuel by service, earned tiers, cubic prices and a zone chart, and no others",
  async ({ write, seed }) => {
    const org = await hub.org();
    const account = await auditAccount(org, [richCard()]);
    const chart = await org.call("PUT", `/carrier-accounts/${account}/zone-chart`, { rows: richChart });
    expect(chart.status, chart.text).toBe(200);
    const parcels = makeParcels(seed);
    const id = await audited(org, write([auditInvoice("I-1", parcels)], { order }), account);
    expect((await org.get(`/invoices/${id}/audit`)).body).toMatchObject({ audited: parcels.length, notAudited: [] });
    const found = await findingsOf(org, id);
    const said = found.map(
      ({ trackingNumber, kind, amount }) => `${trackingNumber} ${kind} ${Math.round(amount * 100)}`,
    );
    const planted = parcels.flatMap((parcel) =>
      parcel.planted.map(({ kind, amount }) => `${parcel.tracking} ${kind} ${amount}`),
    );
    expect(said.toSorted()).toEqual(planted.toSorted());
    // A zone of the chart leaves no doubt.
    expect(new Set(found.filter(({ kind }) => kind === "zone").map(({ confidence }) => confidence))).toEqual(
      new Set(["high"]),
    );
  },
);
