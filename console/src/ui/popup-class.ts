/** Style of popups. In a file of its own, so that it can be used without loading the listbox. */
export const popupClass =
  "min-w-(--anchor-width) max-w-[min(28rem,calc(100vw-16px))] rounded-lg border border-line bg-raised p-1 shadow-pop outline-none";
export const itemClass =
  "flex min-h-7 items-center gap-2 rounded-md px-2 outline-none select-none data-highlighted:bg-accent-soft data-highlighted:text-accent-text data-disabled:opacity-55";

/** The button that adds a filter to a list. */
export const addFilterClass =
  "inline-flex h-[26px] items-center gap-1.5 rounded-md border border-dashed border-edge px-2 text-muted hover:text-text data-popup-open:border-solid data-popup-open:border-accent data-popup-open:text-accent-text";
