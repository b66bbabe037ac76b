import type { Input } from "@order-operations-hub/sdk/client";
import { useRouter } from "@tanstack/react-router";
import { paths } from "../../app/paths.ts";
import { hub } from "../../live/hub.ts";

type Orders = NonNullable<Input<"POST /api/v1/operations/selections">["body"]>;
/** `step`: starts with this action. `run`: followed by the steps of this run, from the step `at` on. `preset`: with its steps. */
type Start = { step?: string; run?: string; at?: string; preset?: string };

/** Freezes the orders and opens the bulk edit of them; nothing runs before its preview. */
export function useBulkEdit(): (orders: Orders, start: Start) => Promise<void> {
  const router = useRouter();
  return async (orders, start) => {
    const { id } = await hub.call("POST /api/v1/operations/selections", { body: orders });
    router.history.push(paths.newOperation({ selection: id, ...start }));
  };
}
