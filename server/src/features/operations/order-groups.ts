import type { OrderGroup } from "./operations.schemas.ts";

type Reason = OrderGroup["reasons"][number];
type Named = OrderGroup["sample"][number];
type About = Pick<OrderGroup, "step" | "type" | "code" | "message" | "fix">;

const sampleSize = 5;
/** Maximum reasons listed per group. Further ones are only counted. */
export const maxReasons = 10;
/** Messages can contain order data, so 100,000 orders can have as many messages; at most this many are kept per group. */
const maxKept = 200;

/** The common prefix of the texts, in whole words: details of one order must not appear for all. */
export function sharedText(texts: Iterable<string>): string {
  let shared: string[] | undefined;
  let isWhole = true;
  for (const text of texts) {
    const words = text.split(" ");
    if (shared === undefined) {
      shared = words;
      continue;
    }
    const before: string[] = shared;
    const end = before.findIndex((word, at) => word !== words[at]);
    const common = end < 0 ? before : before.slice(0, end);
    if (common.length < before.length || words.length > before.length) isWhole = false;
    shared = common;
  }
  if (shared === undefined) return "";
  if (isWhole) return shared.join(" ");
  const start = shared.join(" ").replace(/[\s(:;,.]+$/, "");
  return start === "" ? "The reason differs from order to order." : `${start} …`;
}

type Group<One> = { one: One; count: number; sample: Named[]; reasons: Map<string, Reason> };

/** Groups orders by step and code, with count, common message, distinct reasons and sample orders. */
export function createGroups<One extends About>() {
  const groups = new Map<string, Group<One>>();
  return {
    add(one: One, kind: string, order: Named): void {
      const key = `${one.step ?? ""} ${kind} ${one.code}`;
      let group = groups.get(key);
      if (!group) groups.set(key, (group = { one, count: 0, sample: [], reasons: new Map() }));
      group.count++;
      if (group.sample.length < sampleSize) group.sample.push(order);
      const { message, fix } = one;
      const known = group.reasons.get(message);
      if (known) known.count++;
      else if (group.reasons.size < maxKept) group.reasons.set(message, { message, ...(fix ? { fix } : {}), count: 1 });
    },
    /** Largest group first. */
    list: () =>
      [...groups.values()]
        .toSorted((a, b) => b.count - a.count)
        .map(({ one, count, sample, reasons }) => {
          const { fix: _fix, ...about } = one;
          return { ...about, ...summedUp([...reasons.values()]), count, sample };
        }),
  };
}

/** Message and reasons of a group, from those of its orders. */
export function summedUp(reasons: readonly Reason[]): Pick<OrderGroup, "message" | "fix" | "reasons"> {
  const fixes = new Set(reasons.map(({ fix }) => fix));
  const [fix] = fixes;
  return {
    message: sharedText(reasons.map(({ message }) => message)),
    ...(fix && fixes.size === 1 ? { fix } : {}),
    reasons: reasons.toSorted((a, b) => b.count - a.count).slice(0, maxReasons),
  };
}
