import type { Order } from "@order-operations-hub/sdk/api-types";
import { Button, IconButton } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { EditInPlace } from "./edit-card.tsx";
import type { OrderPatch } from "./orders.queries.ts";

/** A line as typed. `id` is empty for a new one. */
type Row = { id: string; sku: string; name: string; quantity: string; price: string };
type Draft = { rows: Row[] };

const draftOf = ({ lines }: Order): Draft => ({
  rows: lines.map(({ id, sku, name = "", quantity, price }) => ({
    id,
    sku,
    name,
    quantity: String(quantity),
    price: price === undefined ? "" : String(price),
  })),
});

/** Lists are replaced as a whole, so each kept line is sent with all that it has. */
function linesOf({ rows }: Draft, before: Order["lines"]): NonNullable<OrderPatch["lines"]> {
  return rows.map(({ id, sku, name, quantity, price }) => {
    const {
      shippedQuantity: _shipped,
      price: _price,
      name: _name,
      ...kept
    } = before.find((line) => line.id === id) ?? {};
    return {
      ...kept,
      sku: sku.trim(),
      quantity: Number(quantity),
      ...(name.trim() ? { name: name.trim() } : {}),
      ...(price.trim() ? { price: Number(price) } : {}),
    };
  });
}

const rowText = (row: Row): string => `${row.quantity} × ${row.sku}`;
const pointersOf = (count: number): string[] =>
  Array.from({ length: count }, (_, at) =>
    ["sku", "name", "quantity", "price"].map((part) => `/lines/${at}/${part}`),
  ).flat();

export function EditItems({ order, onDone }: { order: Order; onDone(): void }) {
  return (
    <EditInPlace<Draft>
      order={order}
      draftOf={draftOf}
      patchOf={(_, draft, base) => ({ lines: linesOf(draft, base.lines) })}
      names={{ rows: "Items" }}
      textOf={(_, { rows }) => rows.map(rowText)}
      fields={pointersOf(order.lines.length + 20)}
      onDone={onDone}
    >
      {(form) => {
        const { rows } = form.draft;
        const set = (at: number, change: Partial<Row>): void =>
          form.set({ rows: rows.map((row, index) => (index === at ? { ...row, ...change } : row)) });
        const shippedOf = (id: string): number => order.lines.find((line) => line.id === id)?.shippedQuantity ?? 0;
        return (
          <div className="flex flex-col gap-2">
            {rows.map((row, at) => (
              <div key={row.id || `new ${at}`} className="grid grid-cols-[1fr_1fr_72px_88px_24px] items-end gap-2">
                {(["sku", "name", "quantity", "price"] as const).map((part) => (
                  <TextField
                    key={part}
                    label={labels[part]}
                    isLabelHidden={at > 0}
                    error={form.errors.get(`/lines/${at}/${part}`)}
                    value={row[part]}
                    inputMode={part === "quantity" ? "numeric" : part === "price" ? "decimal" : "text"}
                    onChange={(value) => set(at, { [part]: value })}
                  />
                ))}
                {shippedOf(row.id) === 0 && (
                  <IconButton
                    label={`Remove ${row.sku || "this item"}`}
                    onClick={() => form.set({ rows: rows.filter((_, index) => index !== at) })}
                  >
                    <Icon name="trash" />
                  </IconButton>
                )}
              </div>
            ))}
            <div>
              <Button
                kind="quiet"
                onClick={() => form.set({ rows: [...rows, { id: "", sku: "", name: "", quantity: "1", price: "" }] })}
              >
                <Icon name="plus" size={12} /> Add an item
              </Button>
            </div>
          </div>
        );
      }}
    </EditInPlace>
  );
}

const labels = { sku: "SKU", name: "Name", quantity: "Quantity", price: "Unit price" } as const;
