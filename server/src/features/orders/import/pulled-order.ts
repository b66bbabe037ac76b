import { earlierOf } from "../../../connectors/shape.ts";
import type { Order } from "../order.ts";
import type { ImportedOrder } from "../orders.schemas.ts";
import type { Partner } from "./recall-partners.ts";

/** An order as a bridge delivers it: the body of a request, and its identity and age there. */
export type PulledOrder = { externalId: string; updatedAt: string | undefined; body: Record<string, unknown> };

/** `conflicts`: orders that say something else here than there, and what was done about it. */
export type PulledOutcome = {
  counts: Record<string, number>;
  failures: (Failure & { externalId: string })[];
  conflicts: unknown[];
  /** What is to be asked for as soon as all of it is written. */
  recalls: (Partner & { input: { orderIds: string[] } })[];
  /** When the oldest of those that failed was changed at its source. */
  failedSince: string | undefined;
};

type Failure = { code: string; message: string; errors: unknown[] };

export function fail(outcome: PulledOutcome, item: PulledOrder, { code, message, errors }: Failure): void {
  outcome.counts.failed!++;
  outcome.failedSince = earlierOf(outcome.failedSince, item.updatedAt);
  outcome.failures.push({ externalId: item.externalId, code, message: withPlace(message, errors), errors });
}

/** "This must be a string." alone does not say of what: people read the message, not the pointers. */
function withPlace(message: string, [first]: unknown[]): string {
  const { pointer, message: said } = (first ?? {}) as { pointer?: string; message?: string };
  return pointer && said === message ? `${pointer}: ${message}` : message;
}

/** A shop's lines have no ids of ours: the same SKU at the same place is the same line. */
export function withLineIds(request: ImportedOrder, order: Order): ImportedOrder {
  if (!Array.isArray(request.lines)) return request;
  const free = [...order.lines];
  const lines = request.lines.map((line) => {
    const index = free.findIndex(({ sku }) => sku === (line as { sku?: unknown } | null)?.sku);
    const [known] = index === -1 ? [] : free.splice(index, 1);
    if (known) return line.id === undefined ? { ...line, id: known.id } : line;
    // Items without a SKU had one made from their line until they got one that all orders share.
    const isOld = free.some(({ id, sku }) => id === line.id && sku === `line-${id}`);
    return isOld ? { ...line, sku: `line-${line.id}` } : line;
  });
  return { ...request, lines };
}
