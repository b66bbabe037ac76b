import { expect, test } from "vitest";
import { mask } from "../../core/mask-person.ts";
import type { Order } from "./order.ts";
import { OrderAnswer } from "./order-answers.schemas.ts";
import { isPersonalPath, maskOrder } from "./personal-data.ts";

/**
 * Texts of an order that everyone with `orders:read` may see. A new one belongs here only if it neither names a person nor is written by a
 * customer; otherwise it is masked in personal-data.ts.
 */
const freeOfPersonalData: readonly string[] = [
  // Names and references of the order itself.
  "number",
  "channel",
  "externalId",
  "currency",
  "poNumber",
  "payment.method",
  "payment.reference",
  "amounts.discounts.code",
  "amounts.discounts.title",
  "amounts.presentmentCurrency",
  // Where it goes, no closer than a ZIP code or company; who is there is masked.
  "shippingAddress.company",
  "shippingAddress.city",
  "shippingAddress.province",
  "shippingAddress.provinceCode",
  "shippingAddress.zip",
  "shippingAddress.country",
  "shippingAddress.countryCode",
  "billingAddress.company",
  "billingAddress.city",
  "billingAddress.province",
  "billingAddress.provinceCode",
  "billingAddress.zip",
  "billingAddress.country",
  "billingAddress.countryCode",
  // What is in it. Properties hold personalization, which packers without pii:read have to make.
  "lines.id",
  "lines.sku",
  "lines.name",
  "lines.productId",
  "lines.variantId",
  "lines.options.name",
  "lines.options.value",
  "lines.properties.name",
  "lines.properties.value",
  "lines.imageUrl",
  "lines.parentLineId",
  "lines.hsCode",
  "lines.originCountry",
  // How it is shipped.
  "shipping.carrier",
  "shipping.service",
  "shipping.packageType",
  "shipping.thirdPartyBilling.account",
  "shipping.thirdPartyBilling.zip",
  "shipping.thirdPartyBilling.country",
  "shipments.id",
  "shipments.trackingNumber",
  "shipments.carrier",
  "shipments.service",
  "shipments.lines.lineId",
  // Written by the staff, and by whom; SECURITY.md says that these texts are shown.
  "tags",
  "notes.id",
  "notes.text",
  "notes.by.email",
  "notes.by.name",
  "holds.id",
  "holds.handle",
  "holds.note",
  "holds.by.email",
  "holds.by.name",
  "customFields",
];

type Shape = {
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Shape[];
  properties?: Record<string, Shape>;
  items?: Shape;
  additionalProperties?: Shape | boolean;
};

/** Paths of all texts without a fixed set of values, an ID or a date. Entries of lists have the path of the list. */
function textPaths(shape: Shape, path = ""): string[] {
  if (shape.enum || shape.const !== undefined || shape.format) return [];
  if (shape.anyOf) return shape.anyOf.flatMap((one) => textPaths(one, path));
  if (shape.items) return textPaths(shape.items, path);
  const members = Object.entries(shape.properties ?? {}).flatMap(([name, member]) =>
    textPaths(member, path === "" ? name : `${path}.${name}`),
  );
  const rest = typeof shape.additionalProperties === "object" ? textPaths(shape.additionalProperties, path) : [];
  return [...members, ...rest, ...([shape.type].flat().includes("string") ? [path] : [])];
}

const paths = [...new Set(textPaths(OrderAnswer as Shape))];

test("every text of an order is masked without pii:read, or declared free of personal data", () => {
  const undecided = paths.filter((path) => !isPersonalPath(path) && !freeOfPersonalData.includes(path));
  expect(undecided).toEqual([]);
});

test("the declared list names only texts that an order has, and none that is masked", () => {
  expect(freeOfPersonalData.filter((path) => !paths.includes(path) || isPersonalPath(path))).toEqual([]);
});

test("the mask covers every text that counts as personal", () => {
  const personal = paths.filter((path) => isPersonalPath(path));
  expect(personal.length).toBeGreaterThan(8);
  const order: Record<string, unknown> = {};
  for (const path of personal) {
    const [holder = "", member] = path.split(".");
    order[holder] = member === undefined ? "Ada Byron" : { ...(order[holder] as object), [member]: "Ada Byron" };
  }
  const { customer, shippingAddress, billingAddress, giftMessage } = maskOrder(order as Order);
  const shown = [customer, shippingAddress, billingAddress, { giftMessage }].flatMap((holder) =>
    Object.values(holder ?? {}),
  );
  expect(shown).toHaveLength(personal.length);
  expect(new Set(shown)).toEqual(new Set([mask]));
});
