import { compileCondition, compileLeaf, pathsIn, referredSets } from "../../core/conditions.ts";
import type { SetLookup } from "../../core/conditions.ts";
import { isNegation, oppositeOf } from "../../core/condition-operators.ts";
import { validationFailed } from "../../core/errors.ts";
import type { WorkingCalendar } from "../../core/working-days.ts";
import type { Ctx } from "../../context.ts";
import { loadSetLookup } from "../condition-sets/condition-sets.ts";
import { askedFields, findByRef, personalPathRefusal } from "../orders/orders.ts";
import { findWorkingCalendar } from "../organizations/organizations.ts";
import type { ExplainRequest, Explained, Explanation } from "./catalog.schemas.ts";
import { nameOfPath, showOther, showValues, wordsOf } from "./condition-words.ts";
import { asksForCustomers, asksForStock, presentWith, readFacts } from "./order-conditions.ts";

/** Elements of a list that are explained one by one. */
const maxElements = 20;
/** From here on no further elements are explained: lists in lists would multiply. */
const enoughParts = 500;
const maxFound = 100;

/** Evaluates a condition on one order and explains each part of it in words. */
export async function explainCondition(ctx: Ctx, { order_id: ref, when }: ExplainRequest): Promise<Explanation> {
  const calendar = await findWorkingCalendar(ctx, ctx.orgId);
  const sets = await loadSetLookup(ctx, referredSets(when));
  const refusal = (path: string) => personalPathRefusal(ctx, path);
  const compiled = compileCondition(when, sets, "/when", { fields: askedFields, refusal, calendar });
  if (Array.isArray(compiled)) throw validationFailed(compiled);
  const order = await findByRef(ctx.db, ctx, ref);
  const paths = pathsIn(when);
  const asking = { asksForCustomers: asksForCustomers(paths), asksForStock: asksForStock(paths) };
  const facts = await readFacts(ctx.db, ctx, [asking], [order]);
  const record = presentWith(order, facts);
  const now = new Date(facts.now);
  const parts: Explained[] = [];
  explainNode(when, record, { sets, calendar, now, parts }, { pointer: "/when", depth: 0 });
  return { order_id: order.id, order_number: order.number, met: compiled(record, now), parts };
}

type Explaining = { sets: SetLookup; calendar: WorkingCalendar; now: Date; parts: Explained[] };
type Spot = { pointer: string; depth: number };
type Node = Record<string, unknown>;

/** Adds the condition and those inside it, and returns whether it is met. */
function explainNode(condition: unknown, record: unknown, env: Explaining, spot: Spot): boolean {
  const node = condition as Node;
  const { pointer, depth } = spot;
  if ("path" in node || "count" in node || "sum" in node) return explainLeaf(node, record, env, spot);
  // Its words depend on the parts, which come after it in the list.
  const own: Explained = { pointer, depth, text: "", met: false, found: null };
  env.parts.push(own);
  const inside = (child: unknown, at: string, of: unknown = record, more = 1): boolean =>
    explainNode(child, of, env, { pointer: pointer + at, depth: depth + more });
  if ("not" in node) {
    own.met = !inside(node.not, "/not");
    own.text = own.met
      ? "The condition below is not met, as required."
      : "The condition below is met, but must not be.";
    return own.met;
  }
  if ("any_of" in node || "all_of" in node) return explainElements(node, record, env, own, inside);
  const kind = "all" in node ? "all" : "any";
  const met = (node[kind] as unknown[]).map((child, i) => inside(child, `/${kind}/${i}`));
  const count = met.filter(Boolean).length;
  own.met = kind === "all" ? count === met.length : count > 0;
  const needed = kind === "all" ? "all are required" : "one is required";
  own.text = `${count} of ${met.length} conditions ${count === 1 ? "is" : "are"} met; ${needed}.`;
  return own.met;
}

function explainElements(
  node: Node,
  record: unknown,
  env: Explaining,
  own: Explained,
  inside: (child: unknown, at: string, of: unknown, more: number) => boolean,
): boolean {
  const kind = "any_of" in node ? "any_of" : "all_of";
  const path = String(node[kind]);
  const name = nameOfPath(path);
  const elements = compileLeaf({ path, op: "not_empty" }, env.sets, {}).read(record, env.now);
  const where = compileCondition(node.where, env.sets, "", { calendar: env.calendar, isChecked: true });
  const met = elements.map((element) => typeof where === "function" && where(element, env.now));
  let explained = 0;
  for (const [i, element] of elements.slice(0, maxElements).entries()) {
    if (env.parts.length >= enoughParts) break;
    explained++;
    const text = `${titleOfElement(element, i, name)} ${met[i] ? "meets" : "does not meet"} the condition.`;
    env.parts.push({ pointer: `${own.pointer}/where`, depth: own.depth + 1, text, met: met[i]!, found: null });
    inside(node.where, "/where", element, 2);
  }
  const count = met.filter(Boolean).length;
  own.met = kind === "any_of" ? count > 0 : count > 0 && count === met.length;
  const needed = kind === "any_of" ? "one is required" : "all are required";
  const cut = explained < elements.length ? ` ${explained} of them are explained.` : "";
  own.text = `${count} of ${elements.length} ${name} meet the condition; ${needed}.${cut}`;
  return own.met;
}

/** Elements are identified by their number, and by their SKU where they have one. */
function titleOfElement(element: unknown, index: number, name: string): string {
  const { sku } = element as { sku?: unknown };
  return `Number ${index + 1} of the ${name}${typeof sku === "string" ? ` (${sku})` : ""}`;
}

function explainLeaf(node: Node, record: unknown, env: Explaining, { pointer, depth }: Spot): boolean {
  const { sets, calendar, now, parts } = env;
  const leaf = compileLeaf(node, sets, { calendar, isChecked: true });
  const met = leaf.test(record, now);
  const found = leaf.read(record, now);
  const { timezone } = calendar;
  const others = leaf.others.map((other) => showOther(other, "read" in other ? other.read(record, now) : [], timezone));
  const { value } = node;
  const constants = Array.isArray(value) ? value : [value];
  const wanted = leaf.others.length > 0 ? others.join(" and ") : showValues(constants, timezone);
  // `ne` that is not met reads as `eq` that is met.
  const op = isNegation(leaf.op) ? oppositeOf(leaf.op) : leaf.op;
  const isTrue = isNegation(leaf.op) ? !met : met;
  const isMoment = leaf.others.some((other) => "side" in other && other.side.label === "now") || isInstant(found[0]);
  const verb = wordsOf(op, isMoment)[isTrue ? 0 : 1];
  const says = op === "empty" ? verb : `${verb} ${wanted}`;
  const isSaid = isTrue && (op === "eq" || op === "empty") && leaf.others.length === 0 && found.length < 2;
  const values = showValues(found, timezone);
  const is = found.length === 0 ? "it is empty" : found.length === 1 ? `it is ${values}` : `its values are ${values}`;
  const isPointless = isSaid || (op === "empty" && found.length === 0);
  parts.push({
    pointer,
    depth,
    text: `${subjectOf(node)} ${says}${isPointless ? "" : `: ${is}`}.`,
    met,
    found: found.slice(0, maxFound),
  });
  return met;
}

function isInstant(value: unknown): boolean {
  return typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value);
}

function subjectOf(node: Node): string {
  const chosen = "where" in node ? " that meet the condition" : "";
  if ("count" in node) return `The number of ${nameOfPath(String(node.count))}${chosen}`;
  if ("sum" in node) return `The sum of the ${nameOfPath(String(node.sum))}${chosen}`;
  const name = nameOfPath(String(node.path));
  return name.charAt(0).toUpperCase() + name.slice(1);
}
