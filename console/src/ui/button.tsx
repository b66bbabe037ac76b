import type { ComponentProps, ReactNode } from "react";
import { cx } from "./class-names.ts";
import { Kbd } from "./kbd.tsx";
import { Tooltip } from "./tooltip.tsx";

type Kind = "primary" | "plain" | "quiet" | "danger";
export type ButtonProps = Omit<ComponentProps<"button">, "disabled"> & {
  kind?: Kind;
  keys?: string;
  /** Why the button is disabled. It stays visible and shows the reason. */
  disabledReason?: string | false | undefined;
  isBusy?: boolean;
  children: ReactNode;
};

const looks: Record<Kind, string> = {
  primary: "border-accent bg-accent text-on-accent hover:bg-accent-strong",
  plain: "border-line-strong bg-raised text-text hover:bg-skip-soft",
  quiet: "border-transparent bg-transparent text-muted hover:bg-skip-soft hover:text-text",
  danger: "border-bad bg-raised text-bad hover:bg-bad-soft",
};
const buttonShape =
  "inline-flex h-7 shrink-0 items-center justify-center gap-1.5 rounded-md border px-2.5 font-medium whitespace-nowrap select-none";

export function buttonClass(kind: Kind = "plain", more?: string): string {
  return cx(buttonShape, looks[kind], more);
}

/** A disabled button has no hover style. */
const offLook = (kind: Kind): string => looks[kind].replaceAll(/hover:\S+/g, "");

export function Button({
  kind = "plain",
  keys,
  disabledReason,
  isBusy,
  className,
  children,
  onClick,
  ...rest
}: ButtonProps) {
  const isOff = Boolean(disabledReason) || isBusy === true;
  const button = (
    <button
      type="button"
      {...rest}
      aria-disabled={isOff || undefined}
      aria-busy={isBusy || undefined}
      aria-keyshortcuts={keys?.replace("$mod", "Control")}
      onClick={isOff ? (event) => event.preventDefault() : onClick}
      className={isOff ? cx(buttonShape, offLook(kind), className, "opacity-55") : buttonClass(kind, className)}
    >
      {children}
      {keys && <Kbd keys={keys} isQuiet={kind === "primary"} />}
    </button>
  );
  return disabledReason ? <Tooltip text={disabledReason}>{button}</Tooltip> : button;
}

/** Icon-only button; the label is its accessible name. */
export function IconButton({
  label,
  children,
  className,
  ...rest
}: Omit<ButtonProps, "children"> & { label: string; children: ReactNode }) {
  return (
    <Tooltip text={label}>
      <button
        type="button"
        aria-label={label}
        {...stripped(rest)}
        className={cx(
          "inline-grid size-6 place-items-center rounded-md text-muted hover:bg-skip-soft hover:text-text",
          className,
        )}
      >
        {children}
      </button>
    </Tooltip>
  );
}

function stripped({
  kind: _kind,
  keys: _keys,
  disabledReason: _reason,
  isBusy: _busy,
  ...rest
}: Omit<ButtonProps, "children">) {
  return rest;
}
