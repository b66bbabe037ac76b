import { isDeepStrictEqual } from "node:util";
import { openSheet } from "../../server/src/core/csv/sheet.ts";
import { readRecords } from "../../server/src/core/csv/sheet-records.ts";
import type { SheetPreset } from "../../server/src/core/csv/csv-columns.ts";
import { orderSheet } from "../../server/src/connectors/csv/order-sheet.ts";
import { checkPlugin } from "../../server/src/main/plugins/check-plugin.ts";
import type { Plugin } from "../../server/src/main/plugins/plugin-parts.ts";

/** The test kit: what the hub does with a plug-in, for tests outside of the hub. */
export type { Fault, StandInShop } from "../../server/src/testing/stand-in-shop.ts";
export { startStandInShop } from "../../server/src/testing/stand-in-shop.ts";
export type { ShopData, ShopOrder } from "../../server/src/testing/stand-in-data.ts";
export type { Reply, ShopRequest } from "../../server/src/testing/stand-in-exchange.ts";
export {
  callFor,
  importAll,
  pullAll,
  sendOnce,
  storeRecords,
  taskOf,
} from "../../server/src/testing/connector-calls.ts";
export type { ScriptedAnswer, SentRequest } from "../../server/src/carriers/seam/testing/scripted-call.ts";
export { lostAnswer, scriptedCall } from "../../server/src/carriers/seam/testing/scripted-call.ts";
export { anOrder, checkActionCases, runAction } from "./run-action.ts";
export type { ActionCases, ActionResult } from "./run-action.ts";

/** Checks a plug-in as the hub does at its start. Throws with all problems. */
export function requireValidPlugin(plugin: Plugin): void {
  const checked = checkPlugin(plugin);
  if ("problems" in checked) throw new Error(`The hub would not start:\n${checked.problems.join("\n")}`);
}

/** Reads a file of orders: detects the preset and returns the orders as the body of `POST /orders`, and what is wrong with them. */
export async function readOrderFile(
  preset: SheetPreset,
  text: string,
): Promise<{ isDetected: boolean; orders: Record<string, unknown>[]; errors: string[]; warnings: string[] }> {
  const sheet = await openSheet(text, { ...orderSheet, presets: [preset] }, {});
  const records = await Array.fromAsync(readRecords(sheet));
  return {
    isDetected: isDeepStrictEqual(sheet.preset?.name, preset.name),
    orders: records.map(({ request }) => JSON.parse(JSON.stringify(request)) as Record<string, unknown>),
    errors: records.flatMap(({ errors }) => errors.map(({ message }) => message)),
    warnings: sheet.warnings.map(({ column, message }) => `${column}: ${message}`),
  };
}
