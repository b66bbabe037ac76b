import type { Client } from "pg";
import { withDatabase } from "../chaos-hub.ts";
import type { PartnerName } from "./story-plan.ts";
import type { PartnerUrls } from "./story-setup.ts";

/** A change at a partner. */
export type Entry = { seq: number; kind: string; orderId: number; key: string; detail?: unknown };

type HubOrder = { id: string; number: string; bridgeId: string; externalId: string; status: string; holds: string[] };
type OpenException = { id: string; kind: string; code: string; orderId: string | null; name: string | null };

/** The observable state: the partners' journals and the hub. */
export type View = {
  journals: Record<PartnerName, Entry[]>;
  /** By bridge and external ID. */
  orders: Map<string, HubOrder>;
  exceptions: OpenException[];
  /** Unfinished executions and runs, and events that automations have not handled. */
  busy: string[];
  refresh(): Promise<void>;
  /** Resolves when the condition holds. */
  until(holds: () => boolean, what: string): Promise<void>;
};

export const orderKey = (bridgeId: string, externalId: string | number): string => `${bridgeId} ${externalId}`;

type Waiting = { holds(): boolean; resolve(): void; reject(error: Error): void; what: string; endsAt: number };

export function createView(dataDir: string, urls: PartnerUrls, patienceMs: number): View {
  const names = Object.keys(urls) as PartnerName[];
  const waiting = new Set<Waiting>();
  let looking: Promise<void> | undefined;
  const view: View = {
    journals: { north: [], south: [], woo: [], warehouse: [] },
    orders: new Map(),
    exceptions: [],
    busy: [],
    refresh() {
      // Single flight: two readers would read the same part of a journal.
      looking ??= look().finally(() => (looking = undefined));
      return looking;
    },
    async until(holds, what) {
      if (holds()) return;
      await new Promise<void>((resolve, reject) => {
        waiting.add({ holds, resolve, reject, what, endsAt: performance.now() + patienceMs });
      });
    },
  };

  async function look(): Promise<void> {
    // While PostgreSQL is down the hub part stays as it was.
    await Promise.allSettled([...names.map(readJournal), withDatabase(dataDir, readHub)]);
    for (const one of waiting) {
      const isOver = one.holds();
      if (!isOver && performance.now() < one.endsAt) continue;
      waiting.delete(one);
      if (isOver) one.resolve();
      else one.reject(new Error(`waited ${patienceMs / 1000} s for ${one.what}`));
    }
  }

  async function readJournal(name: PartnerName): Promise<void> {
    const known = view.journals[name];
    const response = await fetch(`${urls[name]}/_control/journal?from=${known.length}`);
    known.push(...((await response.json()) as { journal: Entry[] }).journal);
  }

  async function readHub(db: Client): Promise<void> {
    const orders = await db.query<HubOrder>(
      `select id, number, bridge_id as "bridgeId", external_id as "externalId", status,
              array(select h ->> 'handle' from jsonb_array_elements(holds) h) as holds from orders`,
    );
    const exceptions = await db.query<OpenException>(
      `select id, kind, code, order_id as "orderId", subject_name as name from exceptions where status = 'open'`,
    );
    const busy = await db.query<{ about: string }>(
      `select concat_ws(' ', task_name, trigger, status, 'attempt', attempt, 'due in', due_at - now()) as about
         from task_executions where status in ('queued', 'running')
       union all select concat_ws(' ', 'run', id, status, 'lease', lease_until - now()) from operation_runs where finished_at is null
       union all select 'an event is to be sealed' where exists (select from unsealed_events)
       union all select 'an automation is behind' from automations a where exists (
         select from events e where e.org_id = a.org_id and e.type = any(a.event_types) and e.sequence > a.cursor)`,
    );
    view.orders = new Map(orders.rows.map((order) => [orderKey(order.bridgeId, order.externalId), order]));
    view.exceptions = exceptions.rows;
    view.busy = busy.rows.map(({ about }) => about);
  }
  return view;
}
