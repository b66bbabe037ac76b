import type { Static, TSchema } from "typebox";
import type { PluginAction, PluginRefusal } from "../../server/src/features/operations/plugin-action.ts";
import type { Plugin } from "../../server/src/main/plugins/plugin-parts.ts";

/**
 * What a plug-in may import. The hub gives plug-ins this very module, so that they share its classes; outside of a hub it is the
 * package that was built from it.
 */
export type { Plugin } from "../../server/src/main/plugins/plugin-parts.ts";
export { pluginApi } from "../../server/src/main/plugins/plugin-parts.ts";

/** Types the object that a plug-in exports as `plugin`. */
export function definePlugin(plugin: Plugin): Plugin {
  return plugin;
}

// Schemas of settings, credentials, inputs and params.
export type { Static, TObject, TSchema } from "typebox";
export { Type } from "../../server/src/core/type.ts";
export { OneOf, Strict } from "../../server/src/core/schema.ts";
export type { FieldError } from "../../server/src/core/errors.ts";
export type { Scope } from "../../server/src/core/scopes.ts";

// Requests to other systems.
export { ask, askJson, readJson } from "../../server/src/core/outbound/ask-remote.ts";
export type { HttpClient, HttpRequest, HttpResponse } from "../../server/src/core/outbound/outbound-request.ts";
export { RemoteError } from "../../server/src/core/remote-error.ts";

// Connectors.
export type {
  Call,
  CallTask,
  Connector,
  ConnectorTask,
  CredentialAddress,
  Limits,
  Page,
  PageFailure,
  PulledRecord,
  PullTask,
  PushTask,
  Sent,
  Settings,
  TokenRequest,
} from "../../server/src/connectors/connector.ts";
export type { ReadWebhook, WebhookRequest } from "../../server/src/connectors/inbound-webhook.ts";
export {
  connectionTest,
  inputContent,
  NoteInput,
  pullTask,
  pushTask,
  RefundInput,
  TagsInput,
} from "../../server/src/connectors/standard-tasks.ts";
export type {
  CanonicalAmounts,
  CanonicalInventory,
  CanonicalLine,
  CanonicalLocation,
  CanonicalOrder,
  CanonicalTracking,
} from "../../server/src/connectors/canonical.ts";
export { importSettings, SinceInput, startOf } from "../../server/src/connectors/incremental.ts";
export { urlProblems } from "../../server/src/connectors/url-settings.ts";
export {
  addressOf,
  amount,
  asText,
  buyerNotes,
  currencyOf,
  customerOf,
  filled,
  gone,
  instantOf,
  laterOf,
  line,
  lineOf,
  listOf,
  objectOf,
  optionsOf,
  sumOf,
  tagsOf,
  text,
} from "../../server/src/connectors/shape.ts";

// Actions.
export type {
  PluginAction,
  PluginActionEnv,
  PluginOutcome,
  PluginPatch,
  PluginRefusal,
} from "../../server/src/features/operations/plugin-action.ts";
export type { OrderAnswer as Order } from "../../server/src/features/orders/order-answers.schemas.ts";
export { openStatuses, orderStatuses } from "../../server/src/features/orders/orders.states.ts";
export type { OrderStatus } from "../../server/src/features/orders/orders.states.ts";

/** Types `apply` and `example` by the schema of the params. */
export function defineAction<Params extends TSchema>(action: PluginAction<Params>): PluginAction {
  // The hub calls it with params that fit the schema.
  const { apply, asksAbout, check } = action;
  return {
    ...action,
    apply: (order, params, env) => apply(order, params as Static<Params>, env),
    ...(asksAbout && { asksAbout: (params) => asksAbout(params as Static<Params>) }),
    ...(check && { check: (params) => check(params as Static<Params>) }),
  };
}

/** The step fails for this order. `fix`: what a user can do about it. */
export function refuse(code: string, message: string, fix?: string): PluginRefusal {
  return { refused: code, message, ...(fix === undefined ? {} : { fix }) };
}

// Transforms of mappings.
export type { CompileEnv, TransformDefinition } from "../../server/src/features/transformations/language/transform.ts";
export {
  defineTransform,
  listTransform,
  numberTransform,
  textTransform,
} from "../../server/src/features/transformations/language/transform.ts";

// File formats of orders.
export type { SheetPreset } from "../../server/src/core/csv/csv-columns.ts";
export { addressColumns, notRead } from "../../server/src/connectors/csv/preset-columns.ts";

// Carriers.
export type {
  AccountProblem,
  Carrier,
  CarrierCall,
  CarrierNews,
  InboundWebhook,
  LabelRequest,
  Manifest,
  ManifestRequest,
  RateRequest,
  WebhookSubscription,
} from "../../server/src/carriers/seam/carrier.ts";
export type { AddressCheck } from "../../server/src/carriers/seam/address-check.ts";
export type { Label, LabelFile, SoldLabel, VoidAnswer } from "../../server/src/carriers/seam/labels.ts";
export type { BookedPickup, PickupConfirmation, PickupRequest } from "../../server/src/carriers/seam/pickups.ts";
export { defaultPickupRules } from "../../server/src/carriers/seam/pickup-rules.ts";
export type { NoQuote, Quote } from "../../server/src/carriers/seam/quotes.ts";
export type { Parcel, ShipOptions } from "../../server/src/carriers/seam/ship-options.ts";
export type { ParcelToTrack, TrackingReport } from "../../server/src/carriers/seam/tracking.ts";
