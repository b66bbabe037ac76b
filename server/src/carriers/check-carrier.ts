import { schemaProblems } from "../core/check-schema.ts";
import { findErrorsIn } from "../core/validation.ts";
import type { Carrier } from "./seam/carrier.ts";
import { labelTypes } from "./seam/labels.ts";
import { defaultPickupRules, pickupRuleErrors, PickupRules } from "./seam/pickup-rules.ts";

const verbs = [
  "sendsTo",
  "isTest",
  "testAccount",
  "rate",
  "createLabel",
  "voidLabel",
  "findVoid",
  "schedulePickup",
  "changePickup",
  "cancelPickup",
  "findPickup",
  "track",
  "checkAddress",
  "handoverGroup",
  "createManifest",
  "subscribe",
  "readWebhook",
] as const;

const optionalRules = ["maxAverageWeight", "maxTotalWeight"];
const requiredRules = Object.keys(defaultPickupRules).filter((rule) => !optionalRules.includes(rule));

/** Why a carrier cannot be installed. */
export function carrierProblems(carrier: Carrier): string[] {
  const problems = [
    ...schemaProblems("settings", carrier.settings),
    ...schemaProblems("credentials", carrier.credentials),
    ...(carrier.extraOptions === undefined ? [] : schemaProblems("extraOptions", carrier.extraOptions)),
  ];
  if (typeof carrier.usesRateCards !== "function") problems.push("usesRateCards must be a function");
  if (typeof carrier.isLocal !== "boolean") problems.push("isLocal must be true or false");
  for (const verb of verbs)
    if (carrier[verb] !== undefined && typeof carrier[verb] !== "function") problems.push(`${verb} must be a function`);
  const missing = requiredRules.filter((rule) => !Object.hasOwn(carrier.pickupRules ?? {}, rule));
  if (missing.length > 0)
    return [...problems, `pickupRules lacks ${missing.join(", ")}: spread defaultPickupRules into it`];
  const wrong = findErrorsIn(PickupRules, carrier.pickupRules);
  const rules = wrong.length > 0 ? wrong : pickupRuleErrors(carrier.pickupRules);
  problems.push(...rules.map(({ pointer, message }) => `pickupRules${pointer}: ${message}`));
  const files = carrier.labelTypes ?? [];
  const unknown = files.filter((type) => !labelTypes.includes(type));
  if (unknown.length > 0) problems.push(`labelTypes may be ${labelTypes.join(", ")}, not ${unknown.join(", ")}`);
  if (carrier.createLabel !== undefined && files.length === 0) problems.push("labelTypes is required with createLabel");
  const hasCredentials = Object.keys(carrier.credentials?.properties ?? {}).length > 0;
  if (hasCredentials && !carrier.isLocal && carrier.sendsTo === undefined)
    problems.push("sendsTo is required with credentials: it names the addresses that they are sent to");
  return problems;
}
