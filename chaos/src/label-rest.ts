import type { Client } from "pg";
import type { Send } from "./chaos-client.ts";
import { accepted } from "./chaos-client.ts";
import type { LabelCarrier } from "./label-carriers.ts";
import { readCarrierJournals } from "./label-carriers.ts";
import type { SeenLabel } from "./label-checker.ts";
import type { LabelEntry } from "./label-workload.ts";

/** Labels without an attempt under way that wait for their next one. The call of an attempt has ended by its `until`. */
const idle = `(status = 'requested' or void_requested_at is not null)
   and carrier_request is not null
   and updated_at < now() - interval '5 seconds'
   and (lease_until is null or lease_until < now())
   and coalesce((carrier_request ->> 'until')::timestamptz, '-infinity') < now()`;

/**
 * Lets ten minutes pass for labels that wait for their next attempt. Others are left alone: an attempt that is made due while another
 * one is under way would break what the delays of the hub ensure.
 */
export async function passTimeOfLabels(db: Client): Promise<void> {
  const sentAt = new Date(Date.now() - 600_000).toISOString();
  await db.query(
    `update shipment_labels
        set due_at = now(),
            carrier_request = case
              when carrier_request #>> '{noted,sentAt}' is null then carrier_request
              else jsonb_set(carrier_request, '{noted,sentAt}', to_jsonb($1::text))
            end
      where due_at > now() and ${idle}`,
    [sentAt],
  );
  await db.query("select pg_notify('hub_signals', 'label_requested||chaos')");
}

/** Lets hours pass for the labels of a carrier that cannot be asked: their next attempt is the last. */
export async function exhaustAttempts(db: Client, carrier: string, lastAttempt: number): Promise<void> {
  await db.query(
    `update shipment_labels set attempts = $2 where carrier = $1 and status = 'requested' and attempts < $2 and ${idle}`,
    [carrier, lastAttempt - 1],
  );
}

export async function countPending(db: Client): Promise<number> {
  const { rows } = await db.query<{ n: number }>(
    "select count(*)::int as n from shipment_labels where status = 'requested' or void_requested_at is not null",
  );
  return rows[0]!.n;
}

export async function listSeenLabels(send: Send): Promise<SeenLabel[]> {
  const labels: SeenLabel[] = [];
  for (let page = 1; ; page++) {
    const answer = await accepted(send, { method: "GET", path: `/shipments/labels?limit=100&page=${page}` });
    const data = answer.data as SeenLabel[];
    labels.push(...data);
    if (data.length === 0) return labels;
  }
}

type Resolved = { purchased: number; notPurchased: number };

/** Looks at the carrier for each label with an unknown outcome, as a user would, and records what is found there. */
export async function resolveUnknown(
  send: Send,
  carriers: readonly LabelCarrier[],
  note: (entry: LabelEntry) => void,
): Promise<Resolved> {
  const resolved: Resolved = { purchased: 0, notPurchased: 0 };
  const references = new Map((await listSeenLabels(send)).map(({ id, reference }) => [id, reference]));
  const sales = new Map(readCarrierJournals(carriers).sales.map((sale) => [sale.wanted, sale]));
  for (;;) {
    const path = "/exceptions?kind=label&code=outcome_unknown&limit=100";
    const { data } = await accepted(send, { method: "GET", path });
    const open = data as { id: string; subject: { id: string } }[];
    if (open.length === 0) return resolved;
    for (const { id, subject } of open) {
      const sale = sales.get(references.get(subject.id) ?? "");
      const body = sale
        ? {
            action: "mark_purchased",
            purchase: { trackingNumber: sale.trackingNumber, cost: sale.cents / 100, currency: "USD" },
          }
        : { action: "mark_not_purchased" };
      await accepted(send, { method: "POST", path: `/exceptions/${id}/resolve`, body });
      if (sale) note({ type: "marked", labelId: subject.id });
      resolved[sale ? "purchased" : "notPurchased"]++;
    }
  }
}

/** Sizes of the label files, by label ID. */
export async function downloadFiles(
  url: string,
  key: string,
  labels: readonly SeenLabel[],
): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  for (const { id, status, contentBytes } of labels) {
    if (status !== "purchased" || contentBytes === null) continue;
    const response = await fetch(`${url}/api/v1/shipments/labels/${id}/content`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const { byteLength } = await response.arrayBuffer();
    if (response.status === 200) sizes.set(id, byteLength);
  }
  return sizes;
}
