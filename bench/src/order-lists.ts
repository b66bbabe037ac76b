import type { Figure } from "./bench.ts";
import type { Pointers } from "./bench-order.ts";
import type { HubClient } from "./hub-client.ts";
import { timeInTurn } from "./in-turn.ts";

const rounds = 40;
const warmUps = 5;

/** Orders of the same kind in a small and in a large hub. */
export type Stored = { client: HubClient; pointers: Pointers; newestAt: string };

/**
 * Every filter and sorting of the list. Shares are those of `makeBenchOrder`. What fewer than 25 of ten thousand orders
 * have is asked for in pages that the small hub can fill, too: otherwise a long answer is compared with a short one.
 */
const lists: Record<string, (stored: Stored) => string> = {
  "no filter": () => "/orders",
  "status 43 %": () => "/orders?status=ready",
  "status 0.25 %": () => "/orders?status=draft",
  "two statuses": () => "/orders?status=ready,sent",
  "status on_hold 0.5 %": () => "/orders?status=on_hold",
  "tag 5 %": () => "/orders?tag=vip",
  "tag 0.25 %": () => "/orders?tag=rare",
  "tag 0.1 %": () => "/orders?tag=rarer",
  "location 50 %": ({ pointers }) => `/orders?locationId=${pointers.locationId}`,
  "location 0.25 %": ({ pointers }) => `/orders?locationId=${pointers.rareLocationId}`,
  "bridge 33 %": ({ pointers }) => `/orders?bridgeId=${pointers.bridgeId}`,
  "assignee 4 %": ({ pointers }) => `/orders?assigneeId=${pointers.assigneeId}`,
  "priority 99 %": () => "/orders?priority=normal",
  "priority 0.25 %": () => "/orders?priority=urgent",
  "payment 25 %": () => "/orders?paymentStatus=pending",
  "channel 50 %": () => "/orders?channel=web",
  "channel 0.25 %": () => "/orders?channel=fair",
  archived: () => "/orders?archived=true",
  "archived or not": () => "/orders?archived=any",
  "ordered in one day": () => "/orders?orderedFrom=2026-01-01T12:00:00Z&orderedTo=2026-01-02T12:00:00Z",
  "created in one day": () => "/orders?createdFrom=2026-01-01T12:00:00Z&createdTo=2026-01-02T12:00:00Z",
  "created in the last day": ({ newestAt }) => `/orders?createdFrom=${dayBefore(newestAt)}`,
  "changed in the last day": ({ newestAt }) => `/orders?updatedFrom=${dayBefore(newestAt)}`,
  "to ship until a day": () => "/orders?shipByTo=2026-01-05T00:00:00Z",
  "sorted by createdAt": () => "/orders?sort=createdAt",
  "sorted by orderedAt": () => "/orders?sort=orderedAt",
  "sorted by -orderedAt": () => "/orders?sort=-orderedAt",
  "sorted by -updatedAt": () => "/orders?sort=-updatedAt",
  "sorted by shipBy": () => "/orders?sort=shipBy",
  "sorted by -shipBy": () => "/orders?sort=-shipBy",
  "name 2 %": () => "/orders?search=zhou",
  "name 1 %": () => "/orders?search=yilmaz",
  "name 0.5 %": () => "/orders?search=xenakis",
  "word 100 %": () => "/orders?search=example",
  "word 9 %": () => "/orders?search=smith",
  "word 5 %": () => "/orders?search=twenties",
  "word 2 %": () => "/orders?search=fiftieth",
  "word 1 %": () => "/orders?search=century",
  "word 0.5 %": () => "/orders?search=halfmoon",
  "word 0.25 %": () => "/orders?search=quarry",
  "word 0.1 %": () => "/orders?search=millet&limit=10",
  "word 0.02 %": () => "/orders?search=SKU-4242&limit=2",
  "beginning of a number": () => "/orders?search=B-777",
  "one number": () => "/orders?search=B-7777&limit=1",
  "no such word": () => "/orders?search=nobody",
  "two words 9 % and 17 %": () => "/orders?search=smith%20buffalo",
  "two words 10 % and 9 %": () => "/orders?search=dee%20garcia",
  "two words 9 % and 0.5 %": () => "/orders?search=smith%20halfmoon",
  "two words that never meet": () => "/orders?search=ada%20albany",
  "two words 17 % and 0.02 %": () => "/orders?search=buffalo%20SKU-4242",
  "counts per status": () => "/orders/counts",
};

function dayBefore(at: string): string {
  return new Date(Date.parse(at) - 86_400_000).toISOString();
}

/** The first page of each list. */
export async function compareLists(many: Stored, few: Stored, only?: string): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [name, pathOf] of Object.entries(lists)) {
    if (only !== undefined && !name.includes(only)) continue;
    const ours = () => many.client.get(pathOf(many));
    const floor = () => few.client.get(pathOf(few));
    const times = await timeInTurn(ours, floor, { rounds, warmUps });
    figures.push({ what: `${name}: 1 M : 10 k`, ...times, limit: { on: "ratio", atMost: 1.5 } });
  }
  return figures;
}
