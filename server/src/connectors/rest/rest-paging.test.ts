import fc from "fast-check";
import { expect, test } from "vitest";
import { callFor, pullAll, taskOf } from "../../testing/connector-calls.ts";
import type { Call, Page } from "../connector.ts";
import { rest } from "./rest.ts";

type Shop = {
  count: number;
  size: number;
  kind: "page" | "offset";
  end: "short" | "204" | "repeats";
  hasTotal: boolean;
};

/** Lists ids from 1 to `count`. `end`: what it answers behind its last page. */
function httpOf({ count, size, kind, end, hasTotal }: Shop): Call["http"] {
  const ids = Array.from({ length: count }, (_, i) => i + 1);
  return {
    request({ url }) {
      const query = new URL(url).searchParams;
      const asked = kind === "page" ? (Number(query.get("page")) - 1) * size : Number(query.get("offset"));
      const lastPage = Math.max(0, Math.ceil(count / size) - 1) * size;
      const from = end === "repeats" ? Math.min(asked, lastPage) : asked;
      const data = ids.slice(from, from + size).map((id) => ({ id }));
      const isNothing = end === "204" && data.length === 0;
      const body = { data, ...(hasTotal ? { total: count } : {}) };
      const text = isNothing ? "" : JSON.stringify(body);
      const json = (): unknown => JSON.parse(text);
      const status = isNothing ? 204 : 200;
      return Promise.resolve({
        status,
        headers: {},
        text,
        bytes: Buffer.from(text),
        json,
        retryAfterMs: undefined,
        mayHaveHappened: false,
      });
    },
  };
}

const shops = fc.record<Shop>({
  count: fc.nat({ max: 24 }),
  size: fc.integer({ min: 1, max: 6 }),
  kind: fc.constantFrom("page", "offset"),
  end: fc.constantFrom("short", "204", "repeats"),
  hasTotal: fc.boolean(),
});

const idsOf = (pages: Page[]): string[] => pages.flatMap(({ records }) => records.map(({ externalId }) => externalId));

test("every record is read once, however the pages end and wherever a process dies, or the pull says that it cannot tell", async () => {
  await fc.assert(
    fc.asyncProperty(shops, fc.nat({ max: 6 }), async (shop, diesAfter) => {
      const { count, size, kind, end, hasTotal } = shop;
      const pagination = { kind, pageSize: size };
      const task = {
        name: "stock.read",
        mode: "pull",
        request: { path: "/x" },
        recordsPath: "data",
        pagination,
        totalPath: "total",
      };
      const settings = { baseUrl: "https://erp.example", tasks: [task] };
      const pull = taskOf(rest, "pull", "stock.read", settings);
      const call = callFor({ settings, http: httpOf(shop) });
      // One full page that comes again may be the first page of a server that ignores the number.
      if (count === size && end === "repeats" && !hasTotal) {
        await expect(pullAll(pull, call)).rejects.toMatchObject({ code: "pagination_loop" });
        return;
      }
      const before = diesAfter === 0 ? [] : await pullAll(pull, call, undefined, diesAfter);
      const cursor = JSON.parse(JSON.stringify(before.at(-1)?.cursor ?? {})) as { next?: string };
      const isOver = before.length > 0 && cursor.next === undefined;
      const after = isOver ? [] : await pullAll(pull, call, cursor);
      expect(idsOf([...before, ...after])).toEqual(Array.from({ length: count }, (_, i) => String(i + 1)));
    }),
  );
});
