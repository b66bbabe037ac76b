import { cx } from "./class-names.ts";

export const productName = "Order Operations";

/** `isShort`: only the mark while the menu shows icons. */
export function Brand({ organization, isShort = false }: { organization?: string; isShort?: boolean }) {
  return (
    <span className="flex items-center gap-2.5">
      <i aria-hidden className="size-4.5 shrink-0 rounded-[5px] bg-[linear-gradient(135deg,var(--accent),#18a88b)]" />
      <span className={cx("min-w-0", isShort && "max-wide:sr-only")}>
        <span className="block font-semibold tracking-tight">{productName}</span>
        {organization && <span className="block truncate text-xs text-muted">{organization}</span>}
      </span>
    </span>
  );
}
