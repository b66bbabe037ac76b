import { Type } from "../../../core/type.ts";
import type { Order, OrderNote } from "../../orders/order.ts";
import type { ActionEnv } from "../action.ts";
import { filledIn } from "../template-params.ts";

/** A reason, saved as an internal note. */
export const Remark = filledIn(Type.String({ minLength: 1, maxLength: 500 }));

export function noteOf(text: string, visibility: OrderNote["visibility"], env: ActionEnv): OrderNote {
  return { id: env.newId(), text, visibility, by: env.actor, at: env.now };
}

/** Not limited in number: an order with many notes must still be cancellable. */
export function withInternalNote(order: Order, text: string, env: ActionEnv): OrderNote[] {
  return [...order.notes, noteOf(text, "internal", env)];
}
