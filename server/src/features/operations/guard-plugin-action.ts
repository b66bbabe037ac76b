import type { FieldError } from "../../core/errors.ts";
import { mergePatch } from "../../core/merge-patch.ts";
import { Strict } from "../../core/schema.ts";
import { findUnstorableText, isPlain } from "../../core/strict-json.ts";
import { Type } from "../../core/type.ts";
import { findErrorsIn } from "../../core/validation.ts";
import { presentOrder } from "../orders/order.ts";
import type { Order, OrderPatch } from "../orders/order.ts";
import { fieldsOf, ruleErrors } from "../orders/order-fields.ts";
import type { OrderRequest } from "../orders/orders.schemas.ts";
import { OrderPatchRequest, OrderRequest as OrderRequestShape } from "../orders/orders.schemas.ts";
import type { ActionDefinition, ActionEnv, Outcome, Refusal } from "./action.ts";
import { defineAction, refuse } from "./action.ts";
import type { PluginAction } from "./plugin-action.ts";
import { pluginFields } from "./plugin-action.ts";

const Refused = Strict({
  refused: Type.String({ pattern: "^[a-z][a-z0-9_]{0,63}$" }),
  message: Type.String({ minLength: 1, maxLength: 500 }),
  fix: Type.Optional(Type.String({ maxLength: 500 })),
});

const Warned = Strict({
  code: Type.String({ pattern: "^[a-z][a-z0-9_]{0,63}$" }),
  message: Type.String({ minLength: 1, maxLength: 500 }),
});

/**
 * An action of a plug-in as one of the hub. Its code is not trusted to be right: it gets copies, what it returns is checked by the
 * rules of `PATCH /orders/{id}`, and a mistake fails the step of one order, not the batch that the order is in.
 */
export function guardPluginAction(action: PluginAction): ActionDefinition {
  const { apply, ...parts } = action;
  return defineAction({
    ...parts,
    apply(order: Order, params: unknown, env: ActionEnv): Outcome {
      const { now, actor, timeZone, mayOverride } = env;
      try {
        const given = structuredClone({ order: presentOrder(order), params });
        const outcome: unknown = apply(given.order, given.params, { now, actor, timeZone, mayOverride });
        return readOutcome(action.type, order, outcome, env);
      } catch (error) {
        reportDefect(action.type, error);
        // Without the message of the error, which may quote personal data of the order.
        return refuse("plugin_failed", `The code of ${action.type} failed; the log of the hub says why.`);
      }
    },
  });
}

function readOutcome(type: string, order: Order, outcome: unknown, env: ActionEnv): Outcome {
  if (outcome instanceof Promise) {
    // Its rejection would otherwise end the process.
    outcome.catch((error: unknown) => reportDefect(type, error));
    return invalid(type, "`apply` must not be async");
  }
  if (!isPlain(outcome)) return invalid(type, "it returned neither a patch nor a refusal");
  const [unstorable] = findUnstorableText(outcome);
  if (unstorable) return invalid(type, words(unstorable));
  if ("refused" in outcome) {
    const [error] = findErrorsIn(Refused, outcome);
    return error ? invalid(type, words(error)) : (outcome as Refusal);
  }
  const { patch, warning, ...rest } = outcome;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) return invalid(type, `an outcome has no ${unknown}`);
  if (!isPlain(patch)) return invalid(type, "its patch is not an object");
  const [wrong] = warning === undefined ? [] : findErrorsIn(Warned, warning);
  if (wrong) return invalid(type, `warning${words(wrong)}`);
  const read = readPatch(type, order, patch, env);
  if ("refused" in read || warning === undefined) return read;
  return { ...read, warning: warning as { code: string; message: string } };
}

type Field = (typeof pluginFields)[number];

function readPatch(
  type: string,
  order: Order,
  given: Record<string, unknown>,
  env: ActionEnv,
): { patch: OrderPatch } | Refusal {
  const foreign = Object.keys(given).find((name) => !(pluginFields as readonly string[]).includes(name));
  if (foreign !== undefined)
    return invalid(type, `a plug-in cannot change ${foreign}; it can change ${pluginFields.join(", ")}`);
  const patch = "notes" in given ? { ...given, notes: withoutAuthors(given.notes) } : given;
  const fields = Object.keys(patch) as Field[];
  const present = Object.fromEntries(fields.map((field) => [field, order[field]]));
  const request = mergePatch(present, patch) as OrderRequest;
  const misshapen = findErrorsIn(OrderPatchRequest, patch);
  const merged = misshapen.length > 0 ? misshapen : findErrorsIn(OrderRequestShape, request);
  const [error] = merged.length > 0 ? merged : ruleErrors(request, order);
  return error ? invalid(type, words(error)) : { patch: fieldsOf(request, fields, env, order) };
}

/** Notes of the order have an author and a time, which a request does not set. */
function withoutAuthors(notes: unknown): unknown {
  if (!Array.isArray(notes)) return notes;
  return notes.map((note: unknown) => {
    if (!isPlain(note)) return note;
    const { by: _by, at: _at, ...kept } = note;
    return kept;
  });
}

function words({ pointer, message }: FieldError): string {
  return pointer === "" ? message : `${pointer}: ${message}`;
}

function invalid(type: string, why: string): Refusal {
  return refuse("plugin_outcome_invalid", `${type} returned what the hub does not accept: ${why}`);
}

const maxReported = 100;
const reported = new Set<string>();

/** Once per message: a run may apply the action to a hundred thousand orders. */
function reportDefect(type: string, error: unknown): void {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const key = `${type} ${message}`;
  if (reported.size >= maxReported || reported.has(key)) return;
  reported.add(key);
  process.emitWarning(`The plug-in action ${type} failed: ${message}`, { detail: stack ?? "" });
}
