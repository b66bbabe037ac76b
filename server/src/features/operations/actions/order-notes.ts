import { Type } from "../../../core/type.ts";
import type { Order, OrderNote } from "../../orders/order.ts";
import type { ActionEnv } from "../action.ts";
import { filledIn } from "../template-params.ts";

/** Why somebody did something; it becomes an internal note. */
export const Remark = filledIn(Type.String({ minLength: 1, maxLength: 500 }));

export function noteOf(text: string, visibility: OrderNote["visibility"], env: ActionEnv): OrderNote {
  return { id: env.newId(), text, visibility, by: env.actor, at: env.now };
}

/** The limit is for what people write: an order must not become uncancellable because it has many notes. */
export function withInternalNote(order: Order, text: string, env: ActionEnv): OrderNote[] {
  return [...order.notes, noteOf(text, "internal", env)];
}
