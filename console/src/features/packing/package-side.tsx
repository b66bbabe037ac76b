import type { Order, PackingSession } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode, RefObject } from "react";
import { useState } from "react";
import { cx } from "../../ui/class-names.ts";
import { formatCount, formatMoney, plural } from "../../ui/format.ts";
import { Icon } from "../../ui/icons.tsx";
import { formatTime, useClock } from "../../ui/zone.tsx";
import { PackIcon } from "./pack-icons.tsx";
import type { Box, PackagePatch } from "./packing.queries.ts";
import { priceQuery } from "./packing.queries.ts";
import { text } from "./packing.text.ts";
import type { StationSettings } from "./station-settings.ts";
import { NextButton, StationButton } from "./station-button.tsx";
import { readWeight, unitFor, weightIn } from "./weight-text.ts";

type Props = {
  session: PackingSession;
  order: Order | undefined;
  boxes: readonly Box[];
  settings: StationSettings;
  weightField: RefObject<HTMLInputElement | null>;
  onBox(box: Box): void;
  onWeight(weight: PackagePatch["weight"]): void;
  /** A code that was scanned while the weight had the focus. */
  onCode(code: string): void;
  onFinish(): void;
  onByHand(): void;
  onMissing(): void;
  onHold(): void;
};

export function PackageSide({ session, order, boxes, settings, weightField, ...on }: Props) {
  const left = session.neededCount - session.packedCount;
  const what = settings.buysLabel ? "buys the label and prints it" : "finishes the order";
  return (
    <aside aria-label="Package" className="flex flex-col gap-2.5 lg:min-h-0 lg:overflow-y-auto">
      {order && <Destination order={order} isBought={settings.buysLabel} />}
      <Card title="Box" keys={boxes.length > 0 ? `1–${Math.min(4, boxes.length)}` : undefined}>
        <Boxes boxes={boxes} chosen={session.box?.name ?? order?.shipping.packageType} onChoose={on.onBox} />
      </Card>
      <Card title="Weight" keys="W">
        <WeightField
          key={`${session.id} ${session.weight?.value}`}
          session={session}
          order={order}
          field={weightField}
          onWeight={on.onWeight}
          onCode={on.onCode}
        />
      </Card>
      {settings.buysLabel && settings.prints && (
        <Card title="Prints on the last scan">
          <p className="inline-flex items-center gap-2 text-[14px]">
            <Icon name="printer" size={16} /> Label
          </p>
        </Card>
      )}
      <div className="mt-auto grid gap-2">
        {session.isComplete ? (
          <NextButton title="Finish order" note="Press Enter" isPrimary onPress={on.onFinish} />
        ) : (
          <NextButton title={`${plural(left, "item")} left`} note={`The last scan ${what}`} isPrimary={false} />
        )}
        <div className="grid grid-cols-3 gap-2">
          <KeyButton title="No barcode" keys="F2" onPress={on.onByHand} />
          <KeyButton title="Item missing" keys="F4" onPress={on.onMissing} />
          <KeyButton title="Hold order" keys="F8" onPress={on.onHold} />
        </div>
      </div>
    </aside>
  );
}

function KeyButton({ title, keys, onPress }: { title: string; keys: string; onPress(): void }) {
  return (
    <StationButton keys={keys} onPress={onPress} className="h-11.5 flex-col leading-tight">
      {title}
      <small aria-hidden className="font-mono text-xs font-normal text-faint">
        {keys}
      </small>
    </StationButton>
  );
}

function Card({ title, keys, children }: { title: string; keys?: string | undefined; children: ReactNode }) {
  return (
    <div role="group" aria-label={title} className="rounded-lg border border-line bg-panel px-4 py-2.5">
      <p className="mb-1.5 flex items-center font-medium text-muted">
        {title}
        {keys && (
          <kbd className="ms-auto rounded-sm border border-line-strong bg-panel px-1 py-0.5 font-mono text-xs leading-none text-faint">
            {keys}
          </kbd>
        )}
      </p>
      {children}
    </div>
  );
}

function Destination({ order, isBought }: { order: Order; isBought: boolean }) {
  const { shippingAddress, customer, shipping, shipBy, notes } = order;
  const { data: price } = useQuery({ ...priceQuery(order), enabled: isBought });
  const clock = useClock();
  const { name, address1, address2, city, provinceCode, zip } = shippingAddress ?? {};
  const place = [city, [provinceCode, zip].filter(Boolean).join(" ")].filter(Boolean).join(", ");
  const note = notes.at(-1);
  return (
    <div className="rounded-lg border border-line bg-panel px-4 py-2.5 text-[14px] leading-[1.4]">
      <div className="flex justify-between gap-3">
        <div className="min-w-0">
          <p className="font-semibold break-words">{name ?? customer.name ?? "No recipient"}</p>
          {[address1, address2, place].filter(Boolean).map((line) => (
            <p key={line} className="break-words text-muted">
              {line}
            </p>
          ))}
        </div>
        <div className="text-end">
          <p className="font-semibold">{price?.service_name ?? shipping.service ?? "Cheapest rate"}</p>
          {price && <p className="text-muted">{formatMoney(price.total, price.currency)}</p>}
          {shipBy && <p className="text-muted">by {formatTime(shipBy, clock).replace("today ", "")}</p>}
        </div>
      </div>
      {order.giftMessage && (
        <p className="mt-2 flex items-start gap-2">
          <span className="mt-0.5 text-warn">
            <PackIcon name="gift" />
          </span>
          <span className="line-clamp-2 min-w-0 break-words">Gift message “{order.giftMessage}”</span>
        </p>
      )}
      {note && (
        <p className="mt-2 flex items-start gap-2">
          <span className="mt-0.5 text-warn">
            <Icon name="alert" size={16} />
          </span>
          <span className="line-clamp-3 min-w-0 break-words">
            <strong className="font-medium">{note.text}</strong>{" "}
            <span className="text-muted">{formatTime(note.at, clock)}</span>
          </span>
        </p>
      )}
    </div>
  );
}

function Boxes({
  boxes,
  chosen,
  onChoose,
}: {
  boxes: readonly Box[];
  chosen: string | undefined;
  onChoose(box: Box): void;
}) {
  if (boxes.length === 0) return <p className="text-muted">{text.noBoxes}</p>;
  return (
    <div className="grid grid-cols-4 gap-2">
      {boxes.slice(0, 4).map((box, index) => {
        const isOn = box.name === chosen;
        const { length, width, height } = box.dimensions ?? {};
        return (
          <StationButton
            key={box.name}
            keys={String(index + 1)}
            isPressed={isOn}
            onPress={() => onChoose(box)}
            look={isOn ? "chosen" : "plain"}
            className="relative h-15 min-w-0 flex-col text-[15px] leading-tight"
          >
            <kbd aria-hidden className={cx("absolute end-1.5 top-1 font-mono text-xs", !isOn && "text-faint")}>
              {index + 1}
            </kbd>
            <span className="max-w-full truncate">{box.name}</span>
            <small className={cx("max-w-full truncate text-xs font-normal tracking-tight", !isOn && "text-muted")}>
              {length === undefined ? "No size" : `${length} × ${width} × ${height}`}
            </small>
          </StationButton>
        );
      })}
    </div>
  );
}

function WeightField({
  session,
  order,
  field,
  onWeight,
  onCode,
}: Pick<Props, "session" | "order" | "onWeight" | "onCode"> & { field: Props["weightField"] }) {
  const { weight, expectedWeight, items } = session;
  const unit = unitFor([weight, ...items.map((item) => item.weight)], order?.shippingAddress?.countryCode);
  const [typed, setTyped] = useState(weight ? weightIn(weight, unit) : "");
  const leave = (): void => field.current?.blur();
  const save = (value: string): void => {
    const read = readWeight(value, unit);
    if (value.trim() !== "" && !read) {
      setTyped("");
      onCode(value.trim());
    } else if (read || weight) onWeight(read ?? null);
    leave();
  };
  return (
    <div className="flex items-center gap-2.5">
      <input
        ref={field}
        aria-label={`Weight in ${unit === "lb" ? "pounds" : "kilograms"}`}
        inputMode="decimal"
        value={typed}
        placeholder={expectedWeight ? weightIn(expectedWeight, unit) : "0.0"}
        className="h-12 w-33 min-w-0 rounded-md border border-line-strong bg-raised px-3 text-end text-[24px] font-semibold tabular-nums placeholder:font-normal"
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") save(event.currentTarget.value);
          if (event.key !== "Escape") return;
          setTyped(weight ? weightIn(weight, unit) : "");
          leave();
        }}
      />
      <span className="text-[17px] text-muted">{unit}</span>
      <p className="ms-auto text-end text-muted">
        {weight ? "Entered" : "Not weighed"}
        <br />
        {expectedWeight ? `Expected ${weightIn(expectedWeight, unit)} ${unit}` : `${formatCount(items.length)} lines`}
      </p>
    </div>
  );
}
