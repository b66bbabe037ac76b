import { describe, expect, test } from "vitest";
import { startTestHub } from "../../../testing/test-hub.ts";

const hub = await startTestHub();
const org = await hub.org();
/** Oldest first; more orders than are looked through for a page. */
const weeks = [
  ...Array.from({ length: 3 }, () => ({ orders: 1_100, atOnce: 110 })),
  ...Array.from({ length: 5 }, () => ({ orders: 260, atOnce: 20 })),
];

type Stored = { number: string; status: string; words: string[]; tags: string[]; isArchived: boolean };

/** Newest first. Words at all rates, in one week or in all. */
const stored: Stored[] = [];
for (const [week, { orders: count, atOnce }] of weeks.entries()) {
  const made = Array.from({ length: count }, (_, i): Stored => {
    const words = [
      "everywhere",
      `common${i}`,
      ...(i % 2 === 0 ? ["half", `halfway${i}`] : []),
      ...(i % 4 === 0 ? [`quarter${i}`] : []),
      ...(i % 40 === 0 ? ["some"] : []),
      ...(i % 200 === 1 ? ["scarce"] : []),
      ...(week === 0 ? ["ancient"] : []),
    ];
    const status = i % 3 === 0 ? "ready" : "new";
    const tags = i % 7 === 0 ? ["seventh"] : [];
    return { number: `m${week}-${String(i).padStart(4, "0")}`, status, words, tags, isArchived: i % 50 === 2 };
  });
  // All that is made in one call has the same age: one call each for what must not be mixed up.
  for (let from = 0; from < count; from += atOnce) {
    const orders = made.slice(from, from + atOnce).map(({ number, status, words, tags, isArchived }) => {
      return { number, status, customer: { name: words.join(" ") }, tags, archived: isArchived };
    });
    const { body } = await org.post("/orders/bulk", { orders });
    expect(body.summary.failed).toBe(0);
    hub.advance(1_000);
  }
  stored.unshift(...made.toReversed());
  hub.advance(11 * 86_400_000);
}

/** What must be found, said in the plainest way. */
function expectedFor(search: string, { status, tag, archived = "false" }: Record<string, string>): Set<string> {
  const wanted = search.split(" ");
  const found = stored.filter(
    (order) =>
      [[order.number, ...order.words], order.tags].some((part) =>
        wanted.every((word) => part.some((own) => own.startsWith(word))),
      ) &&
      (tag === undefined || order.tags.includes(tag)) &&
      (status === undefined || order.status === status) &&
      (archived === "any" || order.isArchived === (archived === "true")),
  );
  return new Set(found.map(({ number }) => number));
}

const batchOf = (number: string): string => {
  const [week, index] = [Number(number.slice(1, 2)), Number(number.slice(3))];
  return `${week}-${String(Math.floor(index / weeks[week]!.atOnce)).padStart(2, "0")}`;
};

const searches = ["seventh", "everywhere", "common", "half", "some", "scarce", "ancient", "common7", "m1-01", "absent"];
const together = [
  "half some",
  "everywhere scarce",
  "half ancient",
  "some scarce",
  "half everywhere common1",
  "ancient m2",
  "common quarter",
  "half quarter",
];

const filters: Record<string, string>[] = [
  {},
  { archived: "any" },
  { status: "ready" },
  { tag: "seventh" },
  { sort: "createdAt" },
];

describe("a search", () => {
  test.each([...searches, ...together])(
    "for %s has the right orders in the right order, page by page",
    async (search) => {
      for (const more of filters) {
        const expected = expectedFor(search, more);
        const seen: string[] = [];
        for (let page = 1; page <= 4; page++) {
          const query = new URLSearchParams({ search, limit: "6", page: String(page), ...more });
          const { data, pagination } = (await org.get(`/orders?${query.toString()}`)).body;
          seen.push(...data.map(({ number }: { number: string }) => number));
          expect(pagination.hasMore).toBe(seen.length < expected.size);
          expect(pagination.pages > page).toBe(pagination.hasMore);
          if (pagination.totalIsCapped) expect(pagination.total).toBeLessThanOrEqual(expected.size);
          else expect(pagination.total).toBe(expected.size);
        }
        expect(new Set(seen).size).toBe(Math.min(24, expected.size));
        expect(seen.filter((number) => !expected.has(number))).toEqual([]);
        const ages = [...expected].map(batchOf).toSorted();
        if (more.sort === undefined) ages.reverse();
        expect(seen.map(batchOf)).toEqual(ages.slice(0, seen.length));
      }
    },
  );

  test.each(["everywhere", "scarce", "half some"])("for %s is exported completely", async (search) => {
    const { text } = await org.get(`/orders/export.csv?search=${encodeURIComponent(search)}`);
    const numbers = text
      .trim()
      .split(/\r?\n/)
      .slice(1)
      .map((line) => line.split(",")[0]!);
    expect(new Set(numbers)).toEqual(expectedFor(search, {}));
    expect(numbers).toHaveLength(expectedFor(search, {}).size);
  });
});
