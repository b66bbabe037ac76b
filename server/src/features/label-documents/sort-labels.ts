import type { ShipmentLabel } from "../labels/labels.ts";
import type { LabelDocumentRequest } from "./label-documents.schemas.ts";
import type { OrderFacts } from "./label-documents.store.ts";

type Sort = NonNullable<LabelDocumentRequest["sort"]>;
type Sortable = { label: Pick<ShipmentLabel, "id" | "orderId" | "lines" | "createdAt"> };

/** Sorts by text, then by the order in which the labels were given. Labels without a key come last. */
export function sortLabels<Item extends Sortable>(
  given: readonly Item[],
  sort: Exclude<Sort, "given">,
  facts: ReadonlyMap<string, OrderFacts>,
): Item[] {
  const keyOf = (item: Item): readonly [last: boolean, key: string] => {
    const { label } = item;
    if (sort === "created") return [false, `${label.createdAt} ${label.id}`];
    const order = label.orderId === null ? undefined : facts.get(label.orderId);
    if (sort === "location") return [!order?.location, order?.location ?? ""];
    return skuKey(label, order);
  };
  return given
    .map((item) => ({ item, key: keyOf(item) }))
    .toSorted(({ key: [isLast, text] }, { key: [isOtherLast, other] }) =>
      isLast === isOtherLast ? compare(text, other) : isLast ? 1 : -1,
    )
    .map(({ item }) => item);
}

/** Parcels of one SKU are packed in a row, so they come first; within a SKU, those with the same quantity. */
function skuKey({ lines }: Sortable["label"], order: OrderFacts | undefined): readonly [boolean, string] {
  const skuOf = new Map(order?.lines.map(({ id, sku }) => [id, sku]));
  const contents = lines
    .flatMap(({ lineId, quantity }) => {
      const sku = skuOf.get(lineId);
      return sku === undefined ? [] : [`${sku} ${String(quantity).padStart(7, "0")}`];
    })
    .toSorted(compare);
  if (contents.length === 0) return [true, ""];
  return [false, `${contents.length === 1 ? 0 : 1} ${contents.join(" ")}`];
}

/** By code unit, so that all processes sort alike. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
