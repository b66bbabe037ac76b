import type { Order } from "@order-operations-hub/sdk/api-types";
import { Badge } from "../../ui/badge.tsx";
import { formatCount, plural } from "../../ui/format.ts";
import { text } from "./packing.text.ts";
import { NextButton } from "./station-button.tsx";

/** Marks of an order that packers must see. */
export function marksOf({ priority, tags }: Pick<Order, "priority" | "tags">): string[] {
  const rush = tags.find((tag) => /^(?:rush|express|urgent)$/i.test(tag));
  if (rush !== undefined) return [rush.charAt(0).toUpperCase() + rush.slice(1)];
  return priority === "urgent" ? ["Urgent"] : [];
}

const unitsOf = ({ lines }: Order): number =>
  lines.reduce(
    (sum, line) => sum + (line.requiresShipping === false ? 0 : Math.max(0, line.quantity - line.shippedQuantity)),
    0,
  );

/** Orders to pack next. */
export function PackQueue({
  orders,
  total,
  onOpen,
}: {
  orders: readonly Order[];
  total: number;
  onOpen(order: Order): void;
}) {
  const [next] = orders;
  return (
    <aside aria-label="Next orders" className="flex flex-col gap-2.5 lg:min-h-0">
      <div className="flex flex-col rounded-lg border border-line bg-panel px-4 py-3 lg:min-h-0 lg:flex-1">
        <p className="mb-1 flex items-center font-medium text-muted">
          Next at this station
          <span className="ms-auto rounded-full bg-skip-soft px-1.5 text-xs font-semibold text-skip">
            {formatCount(total)}
          </span>
        </p>
        {next ? (
          <ol aria-label="Queue" className="lg:min-h-0 lg:flex-1 lg:overflow-y-auto">
            {orders.slice(0, 12).map((order) => (
              <li key={order.id} className="border-b border-line last:border-b-0">
                <button
                  type="button"
                  onPointerDown={(event) => event.preventDefault()}
                  onMouseDown={(event) => event.preventDefault()}
                  onClick={() => onOpen(order)}
                  className="flex min-h-15 w-full items-center gap-2 rounded-md text-start hover:bg-skip-soft"
                >
                  <span className="min-w-0 flex-1">
                    <span className="block text-[15px] font-medium">{order.number}</span>
                    <span className="block truncate text-muted">
                      {[order.shippingAddress?.name ?? order.customer.name, plural(unitsOf(order), "item")]
                        .filter(Boolean)
                        .join(", ")}
                    </span>
                  </span>
                  {marksOf(order).map((mark) => (
                    <Badge key={mark} tone="warn">
                      {mark}
                    </Badge>
                  ))}
                  {marksOf(order).length === 0 && <span className="text-muted">{order.shipping.service}</span>}
                </button>
              </li>
            ))}
          </ol>
        ) : (
          <p className="text-muted">{text.emptyQueue}</p>
        )}
      </div>
      {next && (
        <NextButton
          title={`Next: ${next.number}`}
          note="Press Enter or scan its number"
          isPrimary
          onPress={() => onOpen(next)}
        />
      )}
    </aside>
  );
}
