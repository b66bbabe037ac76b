import { Checkbox as Base } from "@base-ui/react/checkbox";
import type { ReactNode } from "react";
import { cx } from "./class-names.ts";
import { Icon } from "./icons.tsx";

const boxClass =
  "grid size-3.5 shrink-0 place-items-center rounded-sm border-[1.5px] border-edge bg-raised data-checked:border-accent data-checked:bg-accent data-indeterminate:border-accent data-indeterminate:bg-accent";

type Props = {
  label: string;
  isLabelHidden?: boolean;
  isChecked: boolean;
  isMixed?: boolean;
  onChange(isChecked: boolean): void;
  tabIndex?: number;
  children?: ReactNode;
};

export function Checkbox({ label, isLabelHidden, isChecked, isMixed, onChange, tabIndex }: Props) {
  const box = (
    <Base.Root
      checked={isChecked}
      indeterminate={isMixed ?? false}
      onCheckedChange={onChange}
      {...(tabIndex === undefined ? {} : { tabIndex })}
      {...(isLabelHidden ? { "aria-label": label } : {})}
      className={boxClass}
    >
      <Base.Indicator className="text-on-accent">
        <Icon name={isMixed ? "minus" : "check"} size={10} weight={3} />
      </Base.Indicator>
    </Base.Root>
  );
  if (isLabelHidden) return box;
  return (
    <label className="inline-flex min-h-6 items-center gap-1.5">
      {box}
      <span>{label}</span>
    </label>
  );
}

type RowProps = { label: string; isChecked: boolean; onChange(): void };

/** Lightweight checkbox for rows of long lists: hundreds are rendered per second, and the list handles the keys. */
export function RowCheckbox({ label, isChecked, onChange }: RowProps) {
  return (
    <button
      type="button"
      role="checkbox"
      aria-checked={isChecked}
      aria-label={label}
      tabIndex={-1}
      data-checked={isChecked ? "" : undefined}
      onClick={onChange}
      className={cx(boxClass, "text-on-accent")}
    >
      {isChecked && <Icon name="check" size={10} weight={3} />}
    </button>
  );
}
