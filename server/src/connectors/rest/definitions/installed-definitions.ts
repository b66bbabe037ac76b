import { amazon } from "./amazon.ts";
import { bigcommerce } from "./bigcommerce.ts";
import { ebay } from "./ebay.ts";
import { etsy } from "./etsy.ts";
import { magento } from "./magento.ts";
import { netsuite } from "./netsuite.ts";
import type { RestDefinition } from "./rest-definition.ts";
import { saleor } from "./saleor.ts";
import { vendure } from "./vendure.ts";

/** The systems that can be connected without writing settings, by title. */
export const installedDefinitions: readonly RestDefinition[] = [
  amazon,
  bigcommerce,
  ebay,
  etsy,
  magento,
  netsuite,
  saleor,
  vendure,
];

export function findDefinition(name: string): RestDefinition | undefined {
  return installedDefinitions.find((definition) => definition.name === name);
}
