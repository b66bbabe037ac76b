import { text } from "./app.text.ts";

export function Brand() {
  return (
    <span className="flex items-center gap-2 font-semibold tracking-tight">
      <i aria-hidden className="size-4.5 rounded-[5px] bg-[linear-gradient(135deg,var(--accent),#18a88b)]" />
      {text.brand}
    </span>
  );
}
