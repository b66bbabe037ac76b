/** How lists and forms look that open over the page. Apart from them: whoever needs the look need not load the list. */
export const popupClass =
  "min-w-(--anchor-width) max-w-[min(28rem,calc(100vw-16px))] rounded-lg border border-line bg-raised p-1 shadow-pop outline-none";
export const itemClass =
  "flex min-h-7 items-center gap-2 rounded-md px-2 outline-none select-none data-highlighted:bg-accent-soft data-highlighted:text-accent-text data-disabled:opacity-55";
