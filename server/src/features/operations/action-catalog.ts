import { referredSets } from "../../core/conditions.ts";
import { findErrorsIn } from "../../core/validation.ts";
import type { ActionDefinition } from "./action.ts";
import { actionPlugins } from "./action-plugins.ts";
import { addNote } from "./actions/add-note.ts";
import { addTags } from "./actions/add-tags.ts";
import { allocate } from "./actions/allocate.ts";
import { approve } from "./actions/approve.ts";
import { archive } from "./actions/archive.ts";
import { assert } from "./actions/assert.ts";
import { assignLocation } from "./actions/assign-location.ts";
import { assignUser } from "./actions/assign-user.ts";
import { buyLabel } from "./actions/buy-label-action.ts";
import { cancel } from "./actions/cancel.ts";
import { choosePackage } from "./actions/choose-package.ts";
import { chooseRate } from "./actions/choose-rate.ts";
import { correctTracking } from "./actions/correct-tracking.ts";
import { createReturn } from "./actions/create-return.ts";
import { duplicate } from "./actions/duplicate.ts";
import { editLines } from "./actions/edit-lines.ts";
import { expandKits } from "./actions/expand-kits.ts";
import { hold } from "./actions/hold.ts";
import { markPaid } from "./actions/mark-paid.ts";
import { markShipped } from "./actions/mark-shipped.ts";
import { markUnshipped } from "./actions/mark-unshipped.ts";
import { merge } from "./actions/merge.ts";
import { notify } from "./actions/notify.ts";
import { recallFulfillment } from "./actions/recall-fulfillment.ts";
import { releaseHold } from "./actions/release-hold.ts";
import { removeTags } from "./actions/remove-tags.ts";
import { requireReview } from "./actions/require-review.ts";
import { restore } from "./actions/restore.ts";
import { runTask } from "./actions/run-task.ts";
import { sendEmail } from "./actions/send-email.ts";
import { sendToFulfillment } from "./actions/send-to-fulfillment.ts";
import { setCustomField } from "./actions/set-custom-field.ts";
import { setDates } from "./actions/set-dates.ts";
import { setFieldFromRequest } from "./actions/set-field-from-request.ts";
import { setPackage } from "./actions/set-package.ts";
import { setPriority } from "./actions/set-priority.ts";
import { setShipping } from "./actions/set-shipping.ts";
import { setStatus } from "./actions/set-status.ts";
import { setTags } from "./actions/set-tags.ts";
import { split } from "./actions/split.ts";
import { swapSku } from "./actions/swap-sku.ts";
import { unarchive } from "./actions/unarchive.ts";
import { updateAddress } from "./actions/update-address.ts";
import { updateSource } from "./actions/update-source.ts";
import { validateAddress } from "./actions/validate-address.ts";
import { voidLabel } from "./actions/void-label-action.ts";
import { guardPluginAction } from "./guard-plugin-action.ts";
import type { ActionRequest } from "./operations.schemas.ts";

/** All actions, in display order. A new one is a file in actions/ and a line here. */
export const actionCatalog: readonly ActionDefinition[] = [
  hold,
  releaseHold,
  approve,
  requireReview,
  setStatus,
  cancel,
  restore,
  archive,
  unarchive,
  setPriority,
  assert,
  addTags,
  removeTags,
  setTags,
  addNote,
  setCustomField,
  assignUser,
  setDates,
  assignLocation,
  allocate,
  editLines,
  expandKits,
  swapSku,
  split,
  merge,
  duplicate,
  setShipping,
  chooseRate,
  setPackage,
  choosePackage,
  validateAddress,
  updateAddress,
  sendToFulfillment,
  recallFulfillment,
  buyLabel,
  voidLabel,
  createReturn,
  markShipped,
  correctTracking,
  markUnshipped,
  markPaid,
  runTask,
  setFieldFromRequest,
  updateSource,
  sendEmail,
  notify,
  ...actionPlugins.parts().map(guardPluginAction),
];

/** The conditions of a step, `when` and the one among its params, with their pointers. */
export function conditionsOf({ type, params, when }: ActionRequest): { when?: Placed; holds?: Placed } {
  const name = actionsByType.get(type)?.conditionParam;
  const inner = name === undefined ? undefined : params?.[name];
  return {
    ...(when === undefined ? {} : { when: { condition: when, pointer: "/when" } }),
    ...(inner === undefined ? {} : { holds: { condition: inner, pointer: `/params/${name}` } }),
  };
}

type Placed = { condition: unknown; pointer: string };

/** The condition sets a step refers to, by ID or name. */
export function setsOf(request: ActionRequest): string[] {
  const asked = Object.values(conditionsOf(request)).flatMap(({ condition }) => referredSets(condition));
  return [...asked, ...setsInParams(request).map(({ set }) => set)];
}

/** The condition sets in params, besides conditions. The params may not be validated yet. */
export function setsInParams({ type, params = {} }: ActionRequest): { set: string; pointer: string }[] {
  const action = actionsByType.get(type);
  if (!action?.sets || findErrorsIn(action.params, params).length > 0) return [];
  return action.sets(params).flatMap(({ set, pointer }) => (set === undefined ? [] : [{ set, pointer }]));
}

export const actionsByType: ReadonlyMap<string, ActionDefinition> = new Map(
  actionCatalog.map((action) => [action.type, action]),
);
