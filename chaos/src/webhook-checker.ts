import { readFileSync } from "node:fs";
import type { Reader } from "./findings.ts";

/** A delivery in the journal of an endpoint, in order of arrival. */
export type Arrival = {
  endpoint: string;
  id: string;
  sequence: number;
  type: string;
  source: string;
  isTaken: boolean;
  /** Header and body name the same event. */
  isSame: boolean;
};

export type Endpoint = {
  name: string;
  webhookId: string;
  orgId: string;
  types: string[];
  isStrict: boolean;
  from: number;
};

/** Each list must be empty. */
type WebhookFindings = {
  /** Never arrived at its endpoint. */
  lost: string[];
  /** Violates strict order. */
  outOfOrder: string[];
  /** Wrong organization, wrong type, or unknown event. */
  foreign: string[];
  broken: string[];
};

export type WebhookCheck = { findings: WebhookFindings; arrivals: number; events: number; duplicates: number };

export function readArrivals(file: string): Arrival[] {
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Arrival);
}

/** Compares the endpoints' journal with the event log, without using a hub. */
export async function checkWebhooks(db: Reader, endpoints: Endpoint[], arrivals: Arrival[]): Promise<WebhookCheck> {
  const findings: WebhookFindings = { lost: [], outOfOrder: [], foreign: [], broken: [] };
  const byEndpoint = Map.groupBy(arrivals, ({ endpoint }) => endpoint);
  let [events, duplicates] = [0, 0];
  for (const endpoint of endpoints) {
    const { name, orgId, types, from, isStrict, webhookId } = endpoint;
    const { rows } = await db.query<{ id: string; sequence: number }>(
      "select id, sequence::int from events where org_id = $1 and sequence > $2 and type = any($3) order by sequence",
      // A webhook for a type also gets the type for several objects: order.updated and orders.updated.
      [orgId, from, [...types, ...types.map((type) => type.replace(".", "s."))]],
    );
    const own = byEndpoint.get(name) ?? [];
    const expected = new Map(rows.map(({ id, sequence }) => [id, sequence]));
    const taken = new Set(own.filter(({ isTaken }) => isTaken).map(({ id }) => id));
    events += rows.length;
    duplicates += own.filter(({ isTaken }) => isTaken).length - taken.size;
    for (const { id, sequence } of rows) if (!taken.has(id)) findings.lost.push(`${name}: ${sequence} ${id}`);
    for (const { id, sequence, source, isSame } of own) {
      if (expected.get(id) !== sequence || !source.endsWith(orgId) || !isSame) {
        findings.foreign.push(`${name}: ${sequence} ${id} of ${source}`);
      }
    }
    if (isStrict) checkOrder(name, [...expected.keys()], own, findings);
    await checkTable(db, webhookId, name, findings);
  }
  const known = new Set(endpoints.map(({ name }) => name));
  for (const { endpoint, id } of arrivals) if (!known.has(endpoint)) findings.foreign.push(`${endpoint}: ${id}`);
  return { findings, arrivals: arrivals.length, events, duplicates };
}

/** The first arrival of an event comes after all previous ones were accepted. */
function checkOrder(name: string, order: string[], arrivals: Arrival[], findings: WebhookFindings): void {
  const placeOf = new Map(order.map((id, place) => [id, place]));
  const taken = new Set<string>();
  let next = 0;
  for (const { id, sequence, isTaken } of arrivals) {
    const place = placeOf.get(id);
    if (place !== undefined && place > next) {
      findings.outOfOrder.push(`${name}: ${sequence} came before ${order[next]}`);
    }
    if (isTaken) taken.add(id);
    while (next < order.length && taken.has(order[next]!)) next++;
  }
}

async function checkTable(db: Reader, webhookId: string, name: string, findings: WebhookFindings): Promise<void> {
  const { rows } = await db.query<{ status: string; n: number }>(
    "select status, count(*)::int as n from webhook_deliveries where webhook_id = $1 group by status",
    [webhookId],
  );
  for (const { status, n } of rows) if (status !== "delivered") findings.broken.push(`${name}: ${n} are ${status}`);
  const { rows: held } = await db.query(
    "select from webhook_deliveries where webhook_id = $1 and lease_owner is not null",
    [webhookId],
  );
  if (held.length > 0) findings.broken.push(`${name}: has leased deliveries`);
  const { rows: attempts } = await db.query<{ id: string }>(
    `select d.id from webhook_deliveries d where d.webhook_id = $1 and d.attempt_count <>
       (select count(*) from webhook_attempts a where a.delivery_id = d.id) + (d.attempt_at is not null)::int limit 5`,
    [webhookId],
  );
  for (const { id } of attempts) findings.broken.push(`${name}: the attempts of ${id} are not as counted`);
}
