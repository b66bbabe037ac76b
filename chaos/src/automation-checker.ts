import { accepted } from "./chaos-client.ts";
import type { Reader } from "./findings.ts";
import type { Organization } from "./webhook-rounds.ts";

/** An automation that adds a note to each created order. It exists before all of them. */
export type KnownAutomation = { id: string; orgId: string };

export type AutomationCheck = { findings: string[]; invocations: number; orders: number };

const types = ["order.created", "orders.created"];
const text = "added by an automation";

type Post = (path: string, body: object) => Promise<{ body: { id: string } }>;

/** Returns the ID of the automation. */
export async function noteEachOrder(post: Post): Promise<string> {
  const actions = [{ type: "add_note", params: { text } }];
  const pipeline = (await post("/operations/pipelines", { name: "Noted", actions })).body;
  const trigger = { types: ["order.created"] };
  const about = { name: "Note", trigger, pipeline_id: pipeline.id, mode: "run", max_orders_per_hour: 100_000 };
  return (await post("/automations", about)).body.id;
}

export async function makeAutomation({ id: orgId, send }: Organization): Promise<KnownAutomation> {
  const post: Post = async (path, body) => {
    const { id } = await accepted(send, { method: "POST", path, body });
    return { body: { id: String(id) } };
  };
  return { id: await noteEachOrder(post), orgId };
}

/**
 * Each created order has one note and is in one run of the automation: no event was missed and none was handled twice. The event
 * ranges of its invocations do not overlap.
 */
export async function checkAutomations(db: Reader, automations: KnownAutomation[]): Promise<AutomationCheck> {
  const check: AutomationCheck = { findings: [], invocations: 0, orders: 0 };
  for (const { id, orgId } of automations) {
    const { rows: orders } = await db.query<{ id: string; notes: number; results: number }>(
      `with made as (select e.object_id as id from events e where e.org_id = $1 and e.type = any($3) and not e.data ? 'items'
           union select (i ->> 'id')::uuid from events e, jsonb_array_elements(e.data -> 'items') i
           where e.org_id = $1 and e.type = any($3) and e.data ? 'items')
       select m.id, (select count(*) from jsonb_array_elements(o.notes) n where n ->> 'text' = $4)::int as notes,
         (select count(*) from operation_results r join operation_runs n on n.id = r.run_id
           where r.order_id = m.id and n.cause ->> 'automation_id' = $2)::int as results
         from made m left join orders o on o.id = m.id`,
      [orgId, id, types, text],
    );
    for (const { id: order, notes, results } of orders) {
      if (notes !== 1 || results !== 1) check.findings.push(`order ${order}: ${notes} notes, in ${results} results`);
    }
    const { rows: invocations } = await db.query<{ first: string; last: string; kind: string }>(
      `select cause ->> 'from_sequence' as first, cause ->> 'to_sequence' as last, kind from automation_invocations
        where automation_id = $1 order by 1`,
      [id],
    );
    for (const [nth, { first, kind }] of invocations.entries()) {
      if (kind !== "run") check.findings.push(`automation ${id}: an invocation at ${first} is ${kind}`);
      const before = invocations[nth - 1];
      if (before && before.last >= first) check.findings.push(`automation ${id} fired twice for ${first}`);
    }
    const { rows: held } = await db.query(
      "select from automations where id = $1 and (not is_active or lease_until > now())",
      [id],
    );
    if (held.length > 0) check.findings.push(`automation ${id} is paused or leased`);
    check.invocations += invocations.length;
    check.orders += orders.length;
  }
  return check;
}
