import type { Ctx } from "../../context.ts";
import type { ChosenOrder } from "./choose-documents.ts";
import type { DocumentRequest } from "./documents.schemas.ts";
import type { SortFacts } from "./documents.store.ts";
import { readSortFacts } from "./documents.store.ts";

const collator = new Intl.Collator("en", { numeric: true });

/** Sorts by text, then by the order in which the orders were given. Orders without the text come last. */
export async function sortOrders(
  ctx: Ctx,
  chosen: ChosenOrder[],
  sort: DocumentRequest["sort"] = "given",
): Promise<ChosenOrder[]> {
  if (sort === "given") return chosen;
  const facts = await readSortFacts(ctx.db, ctx.orgId, [...new Set(chosen.map(({ orderId }) => orderId))]);
  const factsOf = new Map(facts.map((one) => [one.orderId, one]));
  const keyOf = ({ orderId }: ChosenOrder): string => textOf(factsOf.get(orderId), sort) ?? "";
  return chosen
    .map((one) => ({ one, key: keyOf(one) }))
    .toSorted((a, b) => Number(a.key === "") - Number(b.key === "") || collator.compare(a.key, b.key))
    .map(({ one }) => one);
}

function textOf(facts: SortFacts | undefined, sort: "sku" | "location" | "created"): string | null | undefined {
  if (sort === "created") return facts?.createdAt.toISOString();
  return sort === "sku" ? facts?.sku : facts?.location;
}
