import type { TSchema } from "typebox";
import { ActorShape } from "../core/actor.ts";
import { Cause } from "../core/cause.ts";
import { Address } from "../core/address.ts";
import { ConditionShape } from "../core/condition-shape.ts";
import { CappedPagination, Deleted, Pagination } from "../core/schema.ts";
import { isPlain } from "../core/strict-json.ts";
import { ActorReference, EventEnvelope } from "../events/event-envelope.ts";
import { Dimensions, Weight } from "../core/weight.ts";
import { ApiKey } from "../features/api-keys/api-keys.schemas.ts";
import { Automation, Invocation } from "../features/automations/automations.schemas.ts";
import { AuditEntry } from "../features/audit/audit.schemas.ts";
import { TokenResponse } from "../features/auth/auth.schemas.ts";
import { Bridge, TaskInfo } from "../features/bridges/bridges.schemas.ts";
import * as carrierAccounts from "../features/carrier-accounts/carrier-accounts.schemas.ts";
import { ConditionSet } from "../features/condition-sets/condition-sets.schemas.ts";
import * as exceptions from "../features/exceptions/exceptions.schemas.ts";
import * as labels from "../features/labels/labels.schemas.ts";
import { Invitation } from "../features/invitations/invitations.schemas.ts";
import * as findings from "../features/invoices/findings.schemas.ts";
import * as invoices from "../features/invoices/invoices.schemas.ts";
import { Notification } from "../features/notifications/notifications.schemas.ts";
import { Manifest } from "../features/manifests/manifests.schemas.ts";
import { Location } from "../features/locations/locations.schemas.ts";
import * as catalog from "../features/operations/catalog.schemas.ts";
import { ActionRequest, StoredAction } from "../features/operations/operations.schemas.ts";
import { PreflightReport } from "../features/operations/preflight.schemas.ts";
import * as runs from "../features/operations/run.schemas.ts";
import { SavedPipeline } from "../features/operations/saved-pipelines.schemas.ts";
import { Selection, SelectionFilter } from "../features/operations/selections.schemas.ts";
import { StockLevel } from "../features/stock/stock.schemas.ts";
import { OrderAnswer } from "../features/orders/order-answers.schemas.ts";
import { OrderRequest } from "../features/orders/orders.schemas.ts";
import { Organization } from "../features/organizations/organizations.schemas.ts";
import { PackingSession } from "../features/packing/packing.schemas.ts";
import { CheckAnswer, Pickup, PickupRequest } from "../features/pickups/pickups.schemas.ts";
import * as rateItems from "../features/rate-comparisons/rate-items.schemas.ts";
import * as rateComparisons from "../features/rate-comparisons/rate-comparisons.schemas.ts";
import * as rateMixes from "../features/rate-comparisons/rate-mix.schemas.ts";
import { Summary } from "../features/rate-comparisons/summary.schemas.ts";
import { Replay } from "../features/replays/replays.schemas.ts";
import { Schedule, UpcomingRun } from "../features/schedules/schedules.schemas.ts";
import { ShipmentAnswer, ShipmentSummary } from "../features/shipments/shipment-answers.schemas.ts";
import { ShipmentRequest } from "../features/shipments/shipments.schemas.ts";
import { Execution, ExecutionSummary } from "../features/tasks/tasks.schemas.ts";
import * as transformations from "../features/transformations/transformations.schemas.ts";
import { User } from "../features/users/users.schemas.ts";
import * as webhooks from "../features/webhooks/webhooks.schemas.ts";
import { actionSchemas, EventBase, eventSchemas, unions } from "./openapi-unions.ts";

/** Schemas with a name in the OpenAPI document, and so in generated clients. A test finds unused ones. */
export const namedSchemas: Record<string, TSchema> = {
  ...actionSchemas,
  ...eventSchemas,
  EventActor: ActorReference,
  EventBase,
  EventCause: Cause,
  Actor: ActorShape,
  Address,
  Weight,
  Dimensions,
  Pagination,
  CappedPagination,
  Deleted,
  Token: TokenResponse,
  ApiKey,
  AuditEntry,
  Bridge,
  BridgeTask: TaskInfo,
  CarrierAccount: carrierAccounts.CarrierAccount,
  Condition: ConditionShape,
  ConditionSet,
  Event: EventEnvelope,
  Exception: exceptions.Exception,
  ExceptionSummary: exceptions.ExceptionSummary,
  Execution,
  ExecutionSummary,
  ExceptionComment: exceptions.Comment,
  Invitation,
  Invoice: invoices.Invoice,
  InvoiceLine: invoices.Line,
  InvoiceAudit: findings.Audit,
  Finding: findings.Finding,
  Label: labels.LabelAnswer,
  LabelRequest: labels.LabelRequest,
  Location,
  Manifest,
  Mapping: transformations.Mapping,
  MappingTransform: transformations.MappingTransform,
  Notification,
  OperationAction: catalog.CatalogEntry,
  PipelineAction: ActionRequest,
  OperationRun: runs.RunDetail,
  OperationRunResult: runs.RunResult,
  OperationRunSummary: runs.RunRow,
  OrderFilter: SelectionFilter,
  Order: OrderAnswer,
  OrderRequest,
  Organization,
  PackingSession,
  Pickup,
  PickupCheck: CheckAnswer,
  PickupRequest,
  PreflightReport,
  Quote: carrierAccounts.QuoteAnswer,
  RateCard: carrierAccounts.RateCardDetail.properties.card,
  RateCardDetail: carrierAccounts.RateCardDetail,
  RateCardInfo: carrierAccounts.RateCardInfo,
  RateComparison: rateComparisons.Comparison,
  RateComparisonItem: rateItems.Item,
  RateComparisonItemRequest: rateItems.ItemRequest,
  RateComparisonMix: rateMixes.Mix,
  RateComparisonScenario: rateMixes.Scenario,
  RateComparisonSummary: Summary,
  RatingOptions: rateComparisons.RatingOptions,
  Replay,
  SavedPipeline,
  Selection,
  Schedule,
  Automation,
  Invocation,
  Shipment: ShipmentAnswer,
  ShipmentRequest,
  ShipmentSummary,
  Transformation: transformations.Transformation,
  StockLevel,
  TransformationTest: transformations.TestResult,
  TransformationVersion: transformations.TransformationVersion,
  UpcomingRun,
  User,
  Webhook: webhooks.Webhook,
  WebhookDelivery: webhooks.DeliveryDetail,
  WebhookDeliverySummary: webhooks.Delivery,
  WebhookRequest: webhooks.WebhookRequest,
};

type Node = Record<string, unknown> | unknown[];

type References = { refer(node: unknown): unknown; schemas(): Record<string, unknown> };

/**
 * `refer` replaces named schemas by references. `schemas`: those that were referred to so far. Schemas are
 * matched by their text: making a member optional copies it, so the objects are not identical.
 */
export function createReferences(): References {
  const names = new Map(Object.entries(namedSchemas).map(([name, schema]) => [JSON.stringify(schema), name]));
  names.set(JSON.stringify(StoredAction), "PipelineAction");
  const outlines = new Set([...Object.values(namedSchemas), StoredAction].map(outlineOf));
  const schemas: Record<string, unknown> = {};
  /** Most schemas are part of many routes; each is processed once. */
  const done = new Map<Node, unknown>();

  function refer(node: unknown): unknown {
    return isNode(node) ? done.getOrInsertComputed(node, referAnew) : node;
  }

  function referAnew(node: Node): unknown {
    const mayHaveName = "type" in node && outlines.has(outlineOf(node));
    const name = mayHaveName ? names.get(JSON.stringify(node)) : undefined;
    if (name === undefined) return referInside(node);
    if (!Object.hasOwn(schemas, name)) {
      schemas[name] = {};
      schemas[name] = referInside(unions[name] ?? node);
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  function referInside(node: Node): unknown {
    if (Array.isArray(node)) return node.map(refer);
    const meant = asMeant(node, refer);
    return Object.fromEntries(Object.entries(meant).map(([key, child]) => [key, refer(child)]));
  }

  return {
    refer,
    schemas: () => Object.fromEntries(Object.entries(schemas).toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/**
 * Some values have a schema that accepts more than the document shows, because other code validates them: rows that fail one by one
 * (an `anyOf` with an empty alternative), lists of names (`x-names`), and mappings (`x-documented`).
 */
function asMeant(node: Record<string, unknown>, refer: (node: unknown) => unknown): Record<string, unknown> {
  // Most nodes are neither: copying them would take a fifth of the time.
  if (!("x-documented" in node || "anyOf" in node || "x-names" in node)) return node;
  if ("x-names" in node) return asNames(node);
  const { "x-documented": documented, anyOf, ...rest } = node;
  if (isPlain(documented)) {
    // The alternatives and the target of a reference have their own types.
    const { type: _type, additionalProperties: _others, ...said } = rest;
    return { ...documented, ...("anyOf" in documented || "$ref" in documented ? said : rest) };
  }
  if (!Array.isArray(anyOf)) return node;
  const said = anyOf.filter((alternative) => Object.keys(alternative as object).length > 0);
  if (said.length === anyOf.length) return node;
  return said.length === 1 ? { ...(refer(said[0]) as object), ...rest } : { anyOf: said, ...rest };
}

/** Names as an enum: one or a list of them, or several in one text. */
function asNames({
  "x-names": names,
  type,
  maxLength,
  pattern: _pattern,
  items: _items,
  ...rest
}: Record<string, unknown>) {
  const { minItems, maxItems, ...said } = rest;
  const name = { type: "string", enum: names };
  if ([type].flat().includes("array"))
    return { ...said, anyOf: [name, { type: "array", items: name, minItems, maxItems }] };
  return { ...said, anyOf: [name, { type: "string", pattern: "^\\w+( *, *\\w+)+$", maxLength }] };
}

/** A short key, since texts of schemas are long and most differ in these parts. */
function outlineOf(schema: { type?: unknown; properties?: unknown }): string {
  return [...Object.keys(schema), ...Object.keys(schema.properties ?? {})].join();
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null;
}
