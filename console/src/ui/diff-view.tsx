import { useMemo } from "react";
import { cx } from "./class-names.ts";
import type { DiffLine } from "./line-diff.ts";
import { diffLines } from "./line-diff.ts";

const around = 3;

/** Line diff of two texts with context. Changes have signs as well as colors. */
export function DiffView({ label, before, after }: { label: string; before: string; after: string }) {
  const parts = useMemo(() => withoutFar(diffLines(before, after)), [before, after]);
  if (parts.every((part) => part.kind === "far" || part.kind === "same"))
    return <p className="text-muted">No difference.</p>;
  return (
    <div
      role="region"
      aria-label={label}
      // Focusable, so that it can be scrolled by keyboard.
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      className="overflow-x-auto rounded-md border border-line bg-bg py-1 font-mono text-sm leading-5"
    >
      <div className="w-max min-w-full">
        {parts.map((part, at) => (
          <div
            key={at}
            className={cx(
              "px-2 whitespace-pre",
              part.kind === "removed" && "bg-bad-soft text-bad",
              part.kind === "added" && "bg-ok-soft text-ok",
              part.kind === "far" && "text-faint",
            )}
          >
            {part.kind === "far" ? (
              `⋯ ${part.count} lines that are the same`
            ) : (
              <>
                <span aria-hidden>{part.kind === "removed" ? "− " : part.kind === "added" ? "+ " : "  "}</span>
                {part.kind !== "same" && (
                  <span className="sr-only">{part.kind === "removed" ? "removed" : "added"} </span>
                )}
                {part.text}
              </>
            )}
          </div>
        ))}
      </div>
    </div>
  );
}

type Part = DiffLine | { kind: "far"; count: number };

/** Collapses long unchanged runs to their length. */
function withoutFar(lines: readonly DiffLine[]): Part[] {
  const isNear = lines.map((_, at) =>
    lines.slice(Math.max(0, at - around), at + around + 1).some(({ kind }) => kind !== "same"),
  );
  const parts: Part[] = [];
  for (const [at, line] of lines.entries()) {
    const last = parts.at(-1);
    if (isNear[at]) parts.push(line);
    else if (last?.kind === "far") last.count++;
    else parts.push({ kind: "far", count: 1 });
  }
  return parts;
}
