import { earlierOf } from "../../../connectors/shape.ts";
import type { Order } from "../order.ts";
import type { ImportedOrder } from "../orders.schemas.ts";
import type { Partner } from "./recall-partners.ts";

/** An order as delivered by a bridge: the request body, and its ID and time at the source. */
export type PulledOrder = { externalId: string; updatedAt: string | undefined; body: Record<string, unknown> };

/** `conflicts`: orders that differ from their source, and how that was handled. */
export type PulledOutcome = {
  counts: Record<string, number>;
  failures: (Failure & { externalId: string })[];
  conflicts: unknown[];
  /** Recalls to request after the transaction. */
  recalls: (Partner & { input: { orderIds: string[] } })[];
  /** Source time of the oldest failed order. */
  failedSince: string | undefined;
};

type Failure = { code: string; message: string; errors: unknown[] };

export function fail(outcome: PulledOutcome, item: PulledOrder, { code, message, errors }: Failure): void {
  outcome.counts.failed!++;
  outcome.failedSince = earlierOf(outcome.failedSince, item.updatedAt);
  outcome.failures.push({ externalId: item.externalId, code, message: withPlace(message, errors), errors });
}

/** Adds the pointer to messages such as "This must be a string.", since users read only the message. */
function withPlace(message: string, [first]: unknown[]): string {
  const { pointer, message: said } = (first ?? {}) as { pointer?: string; message?: string };
  return pointer && said === message ? `${pointer}: ${message}` : message;
}

/** Lines without IDs: the same SKU at the same position is the same line. */
export function withLineIds(request: ImportedOrder, order: Order): ImportedOrder {
  if (!Array.isArray(request.lines)) return request;
  const free = [...order.lines];
  const lines = request.lines.map((line) => {
    const index = free.findIndex(({ sku }) => sku === (line as { sku?: unknown } | null)?.sku);
    const [known] = index === -1 ? [] : free.splice(index, 1);
    if (known) return line.id === undefined ? { ...line, id: known.id } : line;
    // Earlier imports derived missing SKUs from the line; now from the product.
    const isOld = free.some(({ id, sku }) => id === line.id && sku === `line-${id}`);
    return isOld ? { ...line, sku: `line-${line.id}` } : line;
  });
  return { ...request, lines };
}
