import type { ReactNode } from "react";
import { cx } from "./class-names.ts";
import type { Tone } from "./tone.ts";
import { toneSoft, toneText } from "./tone.ts";

/** "Partly shipped" for "partially_shipped": one form of all states, wherever their names come from. */
const stateText = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1).replaceAll("_", " ");

/** Status as one or two words with a dot. */
export function Badge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span
      className={cx(
        "inline-flex h-[19px] items-center gap-1.5 align-middle rounded-[5px] px-1.5 text-sm font-medium whitespace-nowrap",
        toneSoft[tone],
        toneText[tone],
      )}
    >
      <span className="size-1.5 rounded-full bg-current" />
      {typeof children === "string" ? stateText(children) : children}
    </span>
  );
}

export function Tag({ children }: { children: ReactNode }) {
  return (
    <span className="rounded-sm border border-line-strong px-1 text-sm whitespace-nowrap text-muted">{children}</span>
  );
}
