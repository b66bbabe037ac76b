import { cx } from "./class-names.ts";

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);
const shown: Record<string, string> = {
  $mod: isMac ? "⌘" : "Ctrl",
  Enter: "↵",
  Shift: "Shift",
  Escape: "Esc",
  ArrowDown: "↓",
  ArrowUp: "↑",
};

/** "Ctrl K" for "$mod+k". */
export function keysOf(combination: string): string {
  return combination
    .split(/[+ ]/)
    .map((key) => shown[key] ?? (key.length === 1 ? key.toUpperCase() : key))
    .join(" ");
}

export function Kbd({ keys, isQuiet }: { keys: string; isQuiet?: boolean }) {
  return (
    <kbd
      aria-hidden
      className={cx(
        "hidden rounded-sm border px-1 py-0.5 font-mono text-xs leading-none whitespace-nowrap lg:inline-block",
        isQuiet ? "border-current" : "border-line-strong bg-panel text-faint",
      )}
    >
      {keysOf(keys)}
    </kbd>
  );
}
