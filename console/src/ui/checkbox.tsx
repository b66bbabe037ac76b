import { Checkbox as Base } from "@base-ui/react/checkbox";
import type { ReactNode } from "react";
import { Icon } from "./icons.tsx";

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
      className="grid size-3.5 shrink-0 place-items-center rounded-sm border-[1.5px] border-edge bg-raised data-checked:border-accent data-checked:bg-accent data-indeterminate:border-accent data-indeterminate:bg-accent"
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
