import type { Figure } from "./bench.ts";
import type { Pointers } from "./bench-order.ts";
import type { HubClient } from "./hub-client.ts";
import { time, timeInterleaved } from "./interleaved.ts";

const rounds = 40;
const warmUps = 5;
const searchRounds = 100;

/** A small or large hub with the same mix of orders. */
export type Stored = { client: HubClient; pointers: Pointers; newestAt: string };

/**
 * Every filter and sorting of the list. Shares are those of `makeBenchOrder`. Rare values use pages that the small hub can fill
 * too: otherwise responses of different length would be compared.
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
  "three channels": () => "/orders?channel=web&channel=market&channel=fair",
  "not normal priority 0.25 %": () => "/orders?priorityNot=normal",
  "not these statuses 0.25 %": () => "/orders?statusNot=new,ready,sent,awaiting_payment,review_required",
  "one of two tags": () => "/orders?tagsAny=vip&tagsAny=rare",
  "both of two tags": () => "/orders?tagsAll=rare&tagsAll=rarer",
  "carrier 99 %": () => "/orders?carrier=ups",
  "carrier 0.25 %": () => "/orders?carrier=courier",
  "service 0.25 %": () => "/orders?service=night",
  "custom field 5 %": () => "/orders?customField=gift:true",
  "custom field 0.25 %": () => "/orders?customField=batch:7",
  "last run failed, none": () => "/orders?lastRunFailed=true",
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
  "counts per status": () => "/orders/counts",
};

function dayBefore(at: string): string {
  return new Date(Date.parse(at) - 86_400_000).toISOString();
}

const bygone = "word 2 %, in old orders only";
/** One and two words, at all rates. */
const searches: Record<string, string> = {
  "name 2 %": "zhou",
  "name 1 %": "yilmaz",
  "name 0.5 %": "xenakis",
  "word 100 %": "example",
  "word 9 %": "smith",
  "word 5 %": "twenties",
  "word 2 %": "fiftieth",
  "word 1 %": "century",
  "word 0.5 %": "halfmoon",
  "word 0.25 %": "quarry",
  "word 0.1 %": "millet",
  "word 0.02 %": "SKU-4242",
  "tag 5 %": "vip",
  "tag 0.25 %": "rare",
  "item 0.02 %": "thing 4242",
  "beginning of a number": "B-777",
  "one number": "B-7777",
  "one e-mail address": "ada.zhou@mail.example",
  "no such word": "nobody",
  "two words 9 % and 17 %": "smith buffalo",
  "two words 10 % and 9 %": "dee garcia",
  "two words 9 % and 0.5 %": "smith halfmoon",
  "two words 10 % and 17 % that never meet": "ada albany",
  "two words 17 % and 0.02 %": "buffalo SKU-4242",
};

/** p95 of the first page of each search. A word that only old orders have has no limit. */
export async function measureSearches(many: Stored): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [name, text] of Object.entries({ ...searches, [bygone]: "bygone" })) {
    const ask = () => many.client.get(`/orders?search=${encodeURIComponent(text)}`);
    const times: number[] = [];
    for (let round = -warmUps; round < searchRounds; round++) {
      const taken = await time(ask);
      if (round >= 0) times.push(taken);
    }
    const ours = times.toSorted((a, b) => a - b)[Math.ceil(0.95 * searchRounds) - 1]!;
    const figure = { what: `search, ${name}: p95 at 1 M`, unit: "ms", ours };
    figures.push(name === bygone ? figure : { ...figure, limit: { on: "ours", atMost: 50 } });
  }
  return figures;
}

/** The first page of each list. */
export async function compareLists(many: Stored, few: Stored, only?: string): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [name, pathOf] of Object.entries(lists)) {
    if (only !== undefined && !name.includes(only)) continue;
    const ours = () => many.client.get(pathOf(many));
    const floor = () => few.client.get(pathOf(few));
    const times = await timeInterleaved(ours, floor, { rounds, warmUps });
    figures.push({ what: `${name}: 1 M : 10 k`, ...times, limit: { on: "ratio", atMost: 1.5 } });
  }
  return figures;
}
