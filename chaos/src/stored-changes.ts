import type { StoredChange } from "../../server/src/features/operations/run/packed-changes.ts";
import { unpackChange } from "../../server/src/features/operations/run/packed-changes.ts";
import type { FieldChange } from "../../server/src/features/orders/order-changes.ts";
import type { Reader } from "./findings.ts";

/** Reads stored changes of an order: long values are referenced there and stored separately. */
export async function changeReader(
  db: Reader,
): Promise<(orderId: string, changes: FieldChange[] | null | undefined) => FieldChange[]> {
  const { rows } = await db.query<{ name: string; value: unknown }>(
    "select order_id || ' ' || digest as name, value from operation_values",
  );
  const values = new Map(rows.map(({ name, value }) => [name, value]));
  return (orderId, changes) =>
    (changes ?? []).map((change) =>
      unpackChange(change as StoredChange, (digest) => values.get(`${orderId} ${digest}`)),
    );
}
