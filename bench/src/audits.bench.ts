import { auditCards, aParcel, plants } from "../../server/src/testing/invoices/audit-book.ts";
import type { BookInvoice } from "../../server/src/testing/invoices/invoice-book.ts";
import { writeFedex } from "../../server/src/testing/invoices/write-invoices.ts";
import type { Bench, Figure } from "./bench.ts";
import { median } from "./bench.ts";
import type { HubClient } from "./hub-client.ts";
import { signInWithKey } from "./hub-client.ts";
import { startHub, withDataDir } from "./hub-process.ts";
import { time } from "./interleaved.ts";
import { watchMemory } from "./watch-memory.ts";

const rounds = 3;
const parcelCount = 50_000;
/** One in so many parcels is billed with an error. */
const errorEvery = 50;

export const auditsBench: Bench = {
  name: "audits",
  bar: "the audit of an invoice of 50,000 parcels <= 2x a comparison of it with the same contract, and <= 250 MB more memory",
  run: () => withDataDir(measure),
};

async function measure(dataDir: string): Promise<Figure[]> {
  const hub = await startHub(dataDir, { HUB_PREVIEW_PORT: "off" });
  try {
    const client = await signInWithKey(hub.url);
    const carrierAccountId = await anAccount(client);
    const { invoices } = await client.post<{ invoices: { id: string }[] }>("/invoices/import", {
      csv: writeFedex([anInvoice()]),
      carrierAccountId,
    });
    const invoiceId = invoices[0]!.id;
    await ended(client, `/invoices/${invoiceId}/audit`);
    const comparison = await client.post<{ id: string }>("/rate-comparisons", {
      name: "Bench",
      carrierAccountId,
      invoiceIds: [invoiceId],
    });
    const times = { ours: [] as number[], floor: [] as number[] };
    const memory = watchMemory(hub.pid);
    for (let round = 0; round < rounds; round++) {
      times.floor.push(await time(() => compare(client, comparison.id)));
      times.ours.push(await time(() => audit(client, invoiceId)));
    }
    const grown = await memory.stop();
    const ratio = median(times.ours.map((ours, round) => ours / times.floor[round]!));
    const [ours, floor] = [median(times.ours), median(times.floor)];
    return [
      { what: "audit 50 k parcels", unit: "ms", ours, floor, ratio, limit: { on: "ratio", atMost: 2 } },
      { what: "memory of the hub for it", unit: "MB", ours: grown, limit: { on: "ours", atMost: 250 } },
    ];
  } finally {
    await hub.stop();
  }
}

function anInvoice(): BookInvoice {
  const parcels = Array.from({ length: parcelCount }, (_, index) => {
    const tracking = `7${String(index).padStart(11, "0")}`;
    const facts = {
      day: index % 2 === 0 ? "2026-02-02" : "2026-04-20",
      zone: index % 3 === 0 ? ("2" as const) : ("8" as const),
      pounds: 4 + (index % 30),
      isHome: index % 5 < 2,
    };
    return index % errorEvery === 0 ? plants.base_rate!(tracking, facts) : aParcel(tracking, facts);
  });
  return { number: "BENCH-1", account: "A1B2C3", day: "2026-05-01", parcels, fees: [], error: 0 };
}

async function anAccount(client: HubClient): Promise<string> {
  const { id } = await client.post<{ id: string }>("/carrier-accounts", { name: "Bench", carrier: "rate-card" });
  for (const card of auditCards("lb")) await client.post(`/carrier-accounts/${id}/rate-cards`, { card });
  return id;
}

async function compare(client: HubClient, id: string): Promise<void> {
  await client.post(`/rate-comparisons/${id}/process`, {});
  await ended(client, `/rate-comparisons/${id}`);
}

async function audit(client: HubClient, id: string): Promise<void> {
  await client.post(`/invoices/${id}/audit`, {});
  await ended(client, `/invoices/${id}/audit`);
  const { totals } = await client.get<{ totals: { findings: number }[] }>(`/findings/counts?invoiceId=${id}`);
  if (totals[0]?.findings !== parcelCount / errorEvery) throw new Error("the audit did not find the planted errors");
}

async function ended(client: HubClient, path: string): Promise<void> {
  for (;;) {
    const { status } = await client.get<{ status: string }>(path);
    if (status === "failed") throw new Error(`${path} failed`);
    if (status !== "queued" && status !== "processing") return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
