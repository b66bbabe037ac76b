import { amazonFile } from "./amazon-file.ts";
import { bigcommerceFile } from "./bigcommerce-file.ts";
import { ebayFile } from "./ebay-file.ts";
import { etsyFile } from "./etsy-file.ts";
import type { FileOfProgram } from "./file-of-program.ts";
import { magentoFile } from "./magento-file.ts";
import { shipstationFile } from "./shipstation-file.ts";
import { shopifyFile } from "./shopify-file.ts";
import { squarespaceFile } from "./squarespace-file.ts";
import { woocommerceFile } from "./woocommerce-file.ts";

/** Ten orders of each known program. */
export const filesOfPrograms: readonly FileOfProgram[] = [
  shopifyFile,
  squarespaceFile,
  woocommerceFile,
  bigcommerceFile,
  magentoFile,
  amazonFile,
  etsyFile,
  ebayFile,
  shipstationFile,
];
