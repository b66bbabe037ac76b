import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { RateCard } from "./card.schemas.ts";
import { checkCard } from "./check-card.ts";
import { toMg, toSides } from "./measures.ts";
import type { Piece, Situation } from "./price.ts";
import { piecesOf } from "./price-shipment.ts";
import type { QuoteRequest } from "./quote.ts";
import { quoteService } from "./quote.ts";
import { createTariff } from "./tariff.ts";

/** The page that tells how prices are made: its card is priced, and has to come to what the page says. */
const page = readFileSync(path.join(import.meta.dirname, "../../../../docs/rating.md"), "utf8");
// What follows has cards and examples of comparisons; see features/rate-comparisons/rating-doc-targets.test.ts.
const [prices = ""] = page.split("\n## Several contracts\n");
const blocks = [...prices.matchAll(/\n\*\*(.+?)\*\*[^`]*```json\n(.+?)\n```|```json\n(.+?)\n```/gs)];

type Example = {
  service?: string;
  destination?: string;
  pieces?: number;
  parcel: Omit<QuoteRequest, "origin" | "destination">;
  lines?: Record<string, number>;
  total?: number;
  refused?: string;
};

/** Each card of the page with the examples that follow it. */
const cards: RateCard[] = [];
const examples: [title: string, card: RateCard, example: Example][] = [];
for (const [, title, example, card] of blocks) {
  if (title === undefined) cards.push(JSON.parse(card!) as RateCard);
  else examples.push([title, cards.at(-1)!, JSON.parse(example!) as Example]);
}

test("the cards of the page are valid", () => {
  expect(cards.map((card) => checkCard(card))).toEqual([[], []]);
  expect(examples).toHaveLength(11);
});

test.each(examples)("the page is right about: %s", (_, card, example) => {
  const { service: code, destination = "10001", pieces = 1, parcel, lines, total, refused } = example;
  const tariff = createTariff(card, () => undefined);
  const service = tariff.card.services.find((one) => one.code === (code ?? "GROUND"))!;
  const measured = { weightMg: toMg(parcel.weight), sides: parcel.dimensions && toSides(parcel.dimensions) };
  const pieceIn = (situation: Situation): Piece =>
    piecesOf(
      situation,
      Array.from({ length: pieces }, () => measured),
    )[0]!;
  const request = { origin: { zip: "10001" }, destination: { zip: destination }, ...parcel };
  const quote = quoteService(tariff, service, request, pieceIn);
  const told =
    "reason" in quote
      ? { refused: quote.reason }
      : { lines: quote.lines.map(({ code: line, amount }) => [line, amount]), total: quote.total };
  expect(told).toEqual(refused === undefined ? { lines: Object.entries(lines!), total } : { refused });
});
