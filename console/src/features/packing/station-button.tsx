import type { ReactNode } from "react";
import { cx } from "../../ui/class-names.ts";

/** Complete sets of colors: of two classes for one property, the order in the style sheet decides. */
const looks = {
  plain: "border border-line-strong bg-raised hover:bg-skip-soft",
  quiet: "border border-transparent text-muted hover:bg-skip-soft hover:text-text",
  chosen: "border-2 border-accent bg-accent-soft text-accent-text",
  onRed: "border border-[#fff] bg-[#fff] text-[#7d1717] hover:bg-[#fdeaea]",
};

type Props = {
  /** Accessible name, where the content is an icon. */
  label?: string;
  keys?: string;
  isPressed?: boolean;
  look?: keyof typeof looks;
  className?: string;
  onPress(): void;
  children: ReactNode;
};

/**
 * A button of the bench, at least 44 px high. A tap leaves the focus in the scan field: the Enter of the next scan would press the
 * button again.
 */
export function StationButton({ label, keys, isPressed, look = "plain", className, onPress, children }: Props) {
  return (
    <button
      type="button"
      aria-label={label}
      aria-pressed={isPressed}
      aria-keyshortcuts={keys}
      onPointerDown={(event) => event.preventDefault()}
      onMouseDown={(event) => event.preventDefault()}
      onClick={onPress}
      className={cx(
        "inline-flex min-h-11 min-w-11 items-center justify-center rounded-lg font-medium select-none",
        looks[look],
        className,
      )}
    >
      {children}
    </button>
  );
}

/** The one large button: what happens next. */
export function NextButton({
  title,
  note,
  isPrimary,
  onPress,
}: {
  title: string;
  note: string;
  isPrimary: boolean;
  onPress?: (() => void) | undefined;
}) {
  return (
    <button
      type="button"
      aria-disabled={!onPress || undefined}
      onPointerDown={(event) => event.preventDefault()}
      onMouseDown={(event) => event.preventDefault()}
      onClick={onPress}
      className={cx(
        "h-17 w-full rounded-xl px-3 text-[19px] leading-tight font-semibold",
        isPrimary ? "bg-accent text-on-accent hover:bg-accent-strong" : "bg-skip-soft text-skip",
      )}
    >
      {title}
      <small className="block text-[13px] font-normal">{note}</small>
    </button>
  );
}
