import type { OrderFilter } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { paths } from "../../app/paths.ts";
import { useHotkeys } from "../../ui/hotkeys.ts";
import type { OrderSort } from "./orders.queries.ts";
import { walkPageAfter, walkQuery } from "./orders.queries.ts";

/** The list from which an order was opened, for "12 of 431" and the orders before and after it. */
type Walk = { numbers: string[]; total: number; href: string; filter: OrderFilter; sort: OrderSort };

const key = "orders.walk";

export function rememberWalk(walk: Walk): void {
  sessionStorage.setItem(key, JSON.stringify(walk));
}

function readWalk(): Walk | undefined {
  try {
    const walk = JSON.parse(sessionStorage.getItem(key) ?? "null") as Walk | null;
    return walk ?? undefined;
  } catch {
    return undefined;
  }
}

export type Steps = { at: number; total: number; href: string; before: string | undefined; after: string | undefined };

/** The place of an order in the list that it was opened from; j and k lead to its neighbours. */
export function useWalk(number: string): Steps | undefined {
  const router = useRouter();
  const walk = readWalk();
  const at = walk?.numbers.indexOf(number) ?? -1;
  const known = walk?.numbers.length ?? 0;
  // The list had loaded only its first rows: the last one of them asks for those that follow.
  const isLastKnown = walk !== undefined && at === known - 1 && known < walk.total;
  const { data: following } = useQuery({
    ...walkQuery(walk?.filter ?? {}, walk?.sort ?? "-orderedAt", walkPageAfter(known)),
    enabled: isLastKnown,
  });
  const more = isLastKnown ? (following ?? []).filter((one) => !walk.numbers.includes(one)) : [];
  const after = walk?.numbers[at + 1] ?? more[0];
  const steps =
    walk && at >= 0
      ? { at: at + 1, total: walk.total, href: walk.href, before: walk.numbers[at - 1], after }
      : undefined;
  if (walk && more.length > 0) rememberWalk({ ...walk, numbers: [...walk.numbers, ...more] });
  const go = (to: string | undefined) => () => to && router.history.replace(paths.order(to));
  useHotkeys([
    { keys: "j", name: "Next order", run: go(steps?.after) },
    { keys: "k", name: "Previous order", run: go(steps?.before) },
  ]);
  return steps;
}
