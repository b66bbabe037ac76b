import { useQuery } from "@tanstack/react-query";
import { Icon } from "../../ui/icons.tsx";
import { orderSearchQuery } from "../orders/orders.queries.ts";
import { StationButton } from "./station-button.tsx";
import type { Alarm } from "./scan-alarm.ts";

/** A refused scan, in red over the whole width. The scan field stays below it and takes the next scan. */
export function AlarmBar({ alarm, onDismiss, onTakeOver }: { alarm: Alarm; onDismiss(): void; onTakeOver(): void }) {
  const name = useNameOf(alarm.wrongCode);
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center gap-4 rounded-xl bg-[light-dark(#b92b2b,#7d2124)] px-5 py-3.5 text-[#fff]"
    >
      <Icon name="alert" size={40} />
      <div className="min-w-0 flex-1 basis-60">
        <p className="text-[24px] leading-tight font-semibold tracking-tight break-words">
          {name ? `Wrong item: ${name}` : alarm.title}
        </p>
        <p className="text-[16px] break-words">{alarm.text}</p>
      </div>
      {alarm.takeOver && (
        <StationButton keys="F6" onPress={onTakeOver} look="onRed" className="gap-2 px-3 text-[15px]">
          Take over <Key name="F6" />
        </StationButton>
      )}
      <StationButton keys="Escape" onPress={onDismiss} look="onRed" className="gap-2 px-3 text-[15px]">
        Dismiss <Key name="Esc" />
      </StationButton>
    </div>
  );
}

function Key({ name }: { name: string }) {
  return (
    <kbd aria-hidden className="rounded-sm border border-[#d9a3a3] px-1 py-0.5 font-mono text-xs leading-none">
      {name}
    </kbd>
  );
}

/** Name of an item of another order: people know items by their names. */
function useNameOf(code: string | undefined): string | undefined {
  const { data } = useQuery({ ...orderSearchQuery(code ?? ""), enabled: code !== undefined });
  const wanted = code?.toLowerCase();
  return data?.data.flatMap(({ lines }) => lines).find(({ sku }) => sku.toLowerCase() === wanted)?.name;
}
