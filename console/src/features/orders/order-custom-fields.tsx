import type { Order } from "@order-operations-hub/sdk/api-types";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { FactList } from "../../ui/facts.tsx";
import { Icon } from "../../ui/icons.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { EditButton, EditInPlace } from "./edit-card.tsx";
import { OrderCard } from "./order-card.tsx";

type Value = string | number | boolean;
type Row = { name: string; value: string };
type Draft = { rows: Row[] };

const draftOf = ({ customFields }: Order): Draft => ({
  rows: Object.entries(customFields).map(([name, value]) => ({ name, value: String(value) })),
});

/** A value that was a number or a yes/no stays one, if it can be read as such. */
function typed(text: string, before: Value | undefined): Value {
  if (typeof before === "number" && text.trim() !== "" && Number.isFinite(Number(text))) return Number(text);
  if (typeof before === "boolean" && /^(true|false)$/.test(text)) return text === "true";
  return text;
}

function patchOf({ rows }: Draft, { customFields }: Order): Record<string, Value | null> {
  const named = rows.filter(({ name }) => name.trim());
  const kept = new Set(named.map(({ name }) => name.trim()));
  const gone = Object.keys(customFields).filter((name) => !kept.has(name));
  return Object.fromEntries([
    ...gone.map((name): [string, null] => [name, null]),
    ...named.map(({ name, value }): [string, Value] => [name.trim(), typed(value, customFields[name.trim()])]),
  ]);
}

/** Fields that the organization added itself. */
export function OrderCustomFields({ order }: { order: Order }) {
  const [isEditing, setEditing] = useState(false);
  const entries = Object.entries(order.customFields);
  return (
    <OrderCard
      title="Custom fields"
      actions={!isEditing && <EditButton what="custom fields" onEdit={() => setEditing(true)} />}
    >
      {isEditing ? (
        <EditInPlace<Draft>
          order={order}
          draftOf={draftOf}
          patchOf={(_, draft, base) => ({ customFields: patchOf(draft, base) })}
          names={{ rows: "Custom fields" }}
          textOf={(_, { rows }) => rows.map(({ name, value }) => `${name}: ${value}`)}
          fields={[]}
          onDone={() => setEditing(false)}
        >
          {({ draft: { rows }, set }) => {
            const change = (at: number, next: Partial<Row>): void =>
              set({ rows: rows.map((row, index) => (index === at ? { ...row, ...next } : row)) });
            return (
              <>
                {rows.map((row, at) => (
                  <div key={at} className="grid grid-cols-2 gap-2">
                    <TextField
                      label="Name"
                      isLabelHidden={at > 0}
                      value={row.name}
                      onChange={(name) => change(at, { name })}
                    />
                    <TextField
                      label="Value"
                      isLabelHidden={at > 0}
                      value={row.value}
                      onChange={(value) => change(at, { value })}
                    />
                  </div>
                ))}
                <div>
                  <Button kind="quiet" onClick={() => set({ rows: [...rows, { name: "", value: "" }] })}>
                    <Icon name="plus" size={12} /> Add a field
                  </Button>
                </div>
              </>
            );
          }}
        </EditInPlace>
      ) : entries.length === 0 ? (
        <p className="text-muted">No custom fields</p>
      ) : (
        <FactList facts={entries.map(([name, value]) => [name, String(value)])} />
      )}
    </OrderCard>
  );
}
