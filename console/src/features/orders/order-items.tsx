import type { Order } from "@order-operations-hub/sdk/api-types";
import { useState } from "react";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { cx } from "../../ui/class-names.ts";
import { formatMoney, plural } from "../../ui/format.ts";
import { Icon } from "../../ui/icons.tsx";
import { Table, Td, Th } from "../../ui/table.tsx";
import { useEditRefusal } from "./edit-card.tsx";
import { OrderCard } from "./order-card.tsx";
import { EditItems } from "./order-items.form.tsx";

type Line = Order["lines"][number];

const isShippable = ({ requiresShipping }: Line): boolean => requiresShipping !== false;

/** Units of the order, and how many of them were shipped. */
function unitsText(lines: readonly Line[]): string {
  const units = lines.reduce((sum, { quantity }) => sum + quantity, 0);
  const shipped = lines.reduce((sum, { shippedQuantity }) => sum + shippedQuantity, 0);
  return shipped === 0 ? plural(units, "unit") : `${plural(units, "unit")}, ${shipped} shipped`;
}

export function OrderItems({ order }: { order: Order }) {
  const [isEditing, setEditing] = useState(false);
  const refused = useEditRefusal();
  const { lines, currency } = order;
  return (
    <OrderCard
      title="Items"
      note={lines.length > 0 && unitsText(lines)}
      isFlush={!isEditing}
      actions={
        !isEditing &&
        !refused && (
          <Button kind="quiet" onClick={() => setEditing(true)}>
            Edit items
          </Button>
        )
      }
    >
      {isEditing ? (
        <EditItems order={order} onDone={() => setEditing(false)} />
      ) : lines.length === 0 ? (
        <p className="px-3.5 pb-3 text-muted">This order has no items.</p>
      ) : (
        <ItemTable lines={lines} currency={currency} />
      )}
    </OrderCard>
  );
}

/** Items in the order page and in the panel beside the list. */
export function ItemTable({ lines, currency }: { lines: readonly Line[]; currency: string }) {
  return (
    <Table label="List of items">
      <thead>
        <tr>
          <Th>Item</Th>
          <Th isNumber>Qty</Th>
          <Th isNumber>Shipped</Th>
          <Th isNumber>Price</Th>
          <Th isNumber>Total</Th>
        </tr>
      </thead>
      <tbody>
        {lines.map((line) => (
          <tr key={line.id}>
            <Td className="py-2">
              <Item line={line} isPart={lines.some(({ id }) => id === line.parentLineId)} />
            </Td>
            <Td isNumber>{line.quantity}</Td>
            <Td isNumber className="whitespace-nowrap">
              <Shipped line={line} />
            </Td>
            <Td isNumber>{formatMoney(line.price, currency)}</Td>
            <Td isNumber className="font-medium">
              {line.price === undefined
                ? "–"
                : formatMoney(line.price * line.quantity - (line.discount ?? 0), currency)}
            </Td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

function Item({ line, isPart }: { line: Line; isPart: boolean }) {
  const { sku, name, options = [], properties = [], refundedQuantity = 0, requiresShipping } = line;
  return (
    <div className={cx("flex items-center gap-3", isPart && "ps-6")}>
      <Picture line={line} />
      <div className="min-w-0">
        <p className="line-clamp-2 font-medium break-words">{name ?? sku}</p>
        <p className="flex flex-wrap items-center gap-x-3 text-sm text-muted">
          <span className="font-mono break-all">{sku}</span>
          {options.map((option) => (
            <span key={`${option.name} ${option.value}`}>
              {option.name} {option.value}
            </span>
          ))}
          {properties.map((property) => (
            <span key={`${property.name} ${property.value}`} className="inline-flex items-center gap-1">
              <span className="text-accent-text">
                <Icon name="pencil" size={12} />
              </span>
              {property.name} <strong className="font-semibold text-text">“{property.value}”</strong>
            </span>
          ))}
          {requiresShipping === false && <Badge tone="skip">Not shipped</Badge>}
          {refundedQuantity > 0 && <Badge tone="warn">{`${refundedQuantity} refunded`}</Badge>}
        </p>
      </div>
    </div>
  );
}

/** The picture of the shop, or a box if there is none or it does not load. */
function Picture({ line: { imageUrl } }: { line: Line }) {
  const [failed, setFailed] = useState<string>();
  const isShown = imageUrl?.startsWith("https://") && failed !== imageUrl;
  return (
    <span className="grid size-10 shrink-0 place-items-center overflow-hidden rounded-md bg-skip-soft text-muted">
      {isShown ? (
        <img
          src={imageUrl}
          alt=""
          width={40}
          height={40}
          loading="lazy"
          referrerPolicy="no-referrer"
          className="size-10 object-cover"
          onError={() => setFailed(imageUrl)}
        />
      ) : (
        <Icon name="box" size={18} />
      )}
    </span>
  );
}

function Shipped({ line }: { line: Line }) {
  if (!isShippable(line)) return <span className="text-muted">–</span>;
  const isAll = line.shippedQuantity >= line.quantity;
  return (
    <span className={cx("inline-flex items-center gap-1", isAll ? "text-ok" : "text-muted")}>
      {isAll && <Icon name="check" size={12} />}
      {line.shippedQuantity} of {line.quantity}
    </span>
  );
}
