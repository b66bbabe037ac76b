import { hasScope } from "../../core/scopes.ts";
import type { Ctx } from "../../context.ts";
import { findTask, findUnusable } from "../bridges/bridge-tasks.ts";
import { listOpenBridges } from "../bridges/bridges.ts";
import { listCarrierOffers } from "../carrier-accounts/carrier-accounts.ts";
import type { Order } from "../orders/order.ts";
import { findByRef } from "../orders/orders.ts";
import type { ActionDefinition, Refusal } from "./action.ts";
import { refuse } from "./action.ts";
import { actionCatalog } from "./action-catalog.ts";
import { actionPlugins } from "./action-plugins.ts";
import { guard } from "./evaluate.ts";
import { withFormHints } from "./form-hints.ts";
import type { CatalogQuery } from "./catalog.schemas.ts";

/** All actions; with an order, also whether each is applicable to it. */
export async function listActions(ctx: Ctx, { order_id: ref }: CatalogQuery) {
  const order = ref === undefined ? undefined : await findByRef(ctx.db, ctx, ref);
  const reasonOf = await loadAvailability(ctx);
  return {
    data: actionCatalog.map((action) => ({
      type: action.type,
      title: action.title,
      group: action.group,
      description: action.description,
      plugin: actionPlugins.originOf(action.type),
      params_schema: withFormHints(action.params),
      example: action.example,
      allowed_statuses: action.statuses,
      effect: action.irreversible === undefined ? "local" : "external",
      reversible: action.irreversible === undefined,
      irreversible_reason: action.irreversible ?? null,
      idempotent: action.idempotent,
      blocked_by_hold: action.blockedByHold ?? false,
      asks_carriers: action.needsCarrier !== undefined || action.asksCarriersWith !== undefined,
      scope: action.scope ?? "operations:run",
      available: reasonOf(action) === null,
      unavailable_reason: reasonOf(action),
      ...(order ? applicabilityOf(ctx, action, order, reasonOf(action)) : {}),
    })),
    groups: [...new Set(actionCatalog.map(({ group }) => group))],
  };
}

/** Why this organization cannot use an action; null if it can. */
async function loadAvailability(ctx: Ctx): Promise<(action: ActionDefinition) => string | null> {
  const bridges = (await listOpenBridges(ctx)).filter((bridge) => findUnusable(ctx, bridge) === undefined);
  const accounts = (await listCarrierOffers(ctx)).filter(({ isActive }) => isActive);
  return ({ needsBridges, needsTask, needsCarrier }) => {
    if (needsBridges && bridges.length === 0) return "Requires an active bridge; this organization has none.";
    if (needsTask !== undefined && !bridges.some((bridge) => findTask(bridge, needsTask)))
      return `Requires an active bridge with the task ${needsTask}; this organization has none.`;
    if (!needsCarrier || accounts.some((account) => account[needsCarrier])) return null;
    const what = needsCarrier === "sellsLabels" ? "sells labels" : "gives prices";
    return `Requires an active carrier account that ${what}; this organization has none.`;
  };
}

/** Why this caller cannot apply the action to this order now, regardless of params. */
function applicabilityOf(ctx: Ctx, action: ActionDefinition, order: Order, unavailable: string | null) {
  const refusal = scopeRefusal(ctx, action) ?? unavailableRefusal(unavailable) ?? guard(order, { action, params: {} });
  if (!refusal) return { applicable: true, not_applicable_reason: null };
  const { refused: code, ...error } = refusal;
  return { applicable: false, not_applicable_reason: { code, ...error } };
}

function scopeRefusal({ principal: { scopes } }: Ctx, action: ActionDefinition): Refusal | undefined {
  const needed = ["operations:run", action.scope ?? "operations:run"] as const;
  const missing = needed.find((scope) => !hasScope(scopes, scope));
  return missing && refuse("insufficient_scope", `This requires the scope ${missing}.`);
}

function unavailableRefusal(reason: string | null): Refusal | undefined {
  return reason === null ? undefined : refuse("unavailable", reason);
}
