import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { RateCard } from "./card.schemas.ts";
import { checkCard } from "./check-card.ts";
import type { QuoteRequest } from "./quote.ts";
import { quoteService } from "./quote.ts";
import { createTariff } from "./tariff.ts";

/** The page that tells how prices are made: its card is priced, and has to come to what the page says. */
const page = readFileSync(path.join(import.meta.dirname, "../../../../docs/rating.md"), "utf8");
const blocks = [...page.matchAll(/\n\*\*(.+?)\*\*[^`]*```json\n(.+?)\n```|```json\n(.+?)\n```/gs)];
const [card] = blocks.flatMap(([, title, , json]) => (title === undefined ? [JSON.parse(json!) as RateCard] : []));

type Example = {
  parcel: Omit<QuoteRequest, "origin" | "destination">;
  lines?: Record<string, number>;
  total?: number;
  refused?: string;
};
const examples = blocks.flatMap(([, title, json]) =>
  title === undefined ? [] : [[title, JSON.parse(json!) as Example] as const],
);

test("the card of the page is one", () => {
  expect(checkCard(card!)).toEqual([]);
  expect(examples).toHaveLength(6);
});

test.each(examples)("the page is right about: %s", (_, { parcel, lines, total, refused }) => {
  const tariff = createTariff(card!, () => undefined);
  const nowhere = { zip: "10001" };
  const quote = quoteService(tariff, tariff.card.services[0]!, { origin: nowhere, destination: nowhere, ...parcel });
  const told =
    "reason" in quote
      ? { refused: quote.reason }
      : { lines: quote.lines.map(({ code, amount }) => [code, amount]), total: quote.total };
  expect(told).toEqual(refused === undefined ? { lines: Object.entries(lines!), total } : { refused });
});
