import { expect, test } from "vitest";
import { amazon } from "../../connectors/rest/definitions/amazon.ts";
import { bigcommerce } from "../../connectors/rest/definitions/bigcommerce.ts";
import { ebay } from "../../connectors/rest/definitions/ebay.ts";
import { etsy } from "../../connectors/rest/definitions/etsy.ts";
import { magento } from "../../connectors/rest/definitions/magento.ts";
import { netsuite } from "../../connectors/rest/definitions/netsuite.ts";
import type { RestDefinition } from "../../connectors/rest/definitions/rest-definition.ts";
import { saleor } from "../../connectors/rest/definitions/saleor.ts";
import { vendure } from "../../connectors/rest/definitions/vendure.ts";
import { readPath } from "../../connectors/json-path.ts";
import { amazonOrders } from "../../testing/shops/amazon/amazon-orders.ts";
import type { BigcommerceOrder } from "../../testing/shops/bigcommerce/bigcommerce-orders.ts";
import { bigcommerceOrders } from "../../testing/shops/bigcommerce/bigcommerce-orders.ts";
import { ebayOrders } from "../../testing/shops/ebay/ebay-orders.ts";
import { etsyReceipts } from "../../testing/shops/etsy/etsy-receipts.ts";
import { readOperation, select } from "../../testing/shops/graphql-operation.ts";
import { magentoOrders } from "../../testing/shops/magento/magento-orders.ts";
import type { NetsuiteOrder } from "../../testing/shops/netsuite/netsuite-orders.ts";
import { netsuiteOrders } from "../../testing/shops/netsuite/netsuite-orders.ts";
import { saleorOrders } from "../../testing/shops/saleor/saleor-orders.ts";
import { expectReadOrListed } from "../../testing/shops/unread-fields.ts";
import { vendureOrders } from "../../testing/shops/vendure/vendure-orders.ts";
import { compileMapping } from "../transformations/language/compile-mapping.ts";
import { runMapping } from "../transformations/transformations.ts";

type Sample = Record<string, unknown>;
/** `toRecord`: what the connector receives of a sample. */
type Source = { definition: RestDefinition; samples: Sample[]; toRecord?(sample: never): Sample };

/** The record of an order with the answers about its details, under the names that the definition gives them. */
function withDetails({ settings }: RestDefinition, order: Sample, ...answers: unknown[]): Sample {
  const names = settings.tasks![0]!.details!.map(({ mergeAs }) => mergeAs);
  return { ...order, ...Object.fromEntries(names.map((name, index) => [name, answers[index]])) };
}

/** The fields of orders that the query of the definition asks for. */
function asked({ settings }: RestDefinition, list: "items" | "node") {
  const { body } = settings.tasks![0]!.request as { body: { query: string } };
  const [orders] = readOperation(body.query).fields;
  const [, fields] =
    list === "items" ? [0, orders!.fields] : [0, orders!.fields?.find(({ name }) => name === "edges")?.fields];
  const inner = fields?.find(({ name }) => name === list)?.fields;
  expect(inner).toBeDefined();
  return (order: Sample): Sample => select(order, inner) as Sample;
}

const askedOfVendure = asked(vendure, "items");
const askedOfSaleor = asked(saleor, "node");

const sources: Source[] = [
  { definition: vendure, samples: vendureOrders(), toRecord: askedOfVendure },
  { definition: saleor, samples: saleorOrders(), toRecord: (order: Sample) => ({ node: askedOfSaleor(order) }) },
  { definition: magento, samples: magentoOrders() },
  {
    definition: bigcommerce,
    samples: bigcommerceOrders(),
    toRecord: ({ order, products, shippingAddresses, coupons }: BigcommerceOrder) =>
      withDetails(bigcommerce, order, products, shippingAddresses, coupons),
  },
  { definition: amazon, samples: amazonOrders() },
  { definition: ebay, samples: ebayOrders() },
  { definition: etsy, samples: etsyReceipts() },
  {
    definition: netsuite,
    samples: netsuiteOrders(),
    toRecord: ({ row, record }: NetsuiteOrder) => withDetails(netsuite, row, record),
  },
];

test.each(sources.map((source) => ({ name: source.definition.name, ...source })))(
  "$name: each field of the orders is read, or listed as not read",
  { timeout: 60_000 },
  async ({ definition, samples, toRecord = (sample: Sample) => sample }) => {
    expect(samples.length).toBeGreaterThanOrEqual(10);
    const task = definition.settings.tasks!.find(({ name }) => name === "orders.import")!;
    const { mappings } = definition.transformations.find(({ taskName }) => taskName === task.name)!;
    const compiled = compileMapping(mappings, () => undefined);
    if (Array.isArray(compiled)) throw new Error(JSON.stringify(compiled));
    const read = await expectReadOrListed(`${definition.name}.md`, samples, (sample) => {
      const record = toRecord(sample as never);
      const position = [task.externalIdPath ?? "id", task.updatedAtPath!].map((at) => readPath(record, at));
      return JSON.stringify([runMapping(compiled, record), position]);
    });
    expect(read).toBeGreaterThan(20);
  },
);
