import { useState } from "react";
import type { Logged } from "../live/exchanges.ts";
import { curlOf } from "../live/exchanges.ts";
import { cx } from "../ui/class-names.ts";
import { CopyText } from "../ui/copy-text.tsx";
import { formatMs } from "../ui/format.ts";

export function DockRequests({ exchanges }: { exchanges: readonly Logged[] }) {
  const [open, setOpen] = useState<number>();
  return (
    <ul className="font-mono text-sm">
      {exchanges.map((exchange) => (
        <li key={exchange.id} className="border-b border-line">
          <button
            type="button"
            aria-expanded={open === exchange.id}
            onClick={() => setOpen(open === exchange.id ? undefined : exchange.id)}
            className="flex min-h-6 w-full items-center gap-3 px-3 text-start hover:bg-skip-soft"
          >
            <span className={cx("w-8 shrink-0 tabular-nums", exchange.error ? "text-bad" : "text-ok")}>
              {exchange.status || "–"}
            </span>
            <span className="w-14 shrink-0">{exchange.method}</span>
            <span className="flex-1 truncate">{exchange.url}</span>
            <span className="shrink-0 text-faint tabular-nums">{formatMs(exchange.ms)}</span>
          </button>
          {open === exchange.id && (
            <div className="bg-bg px-3 py-2">
              <pre className="mb-1 whitespace-pre-wrap">{curlOf(exchange)}</pre>
              <CopyText text={curlOf(exchange)} label="Copy as curl">
                {exchange.requestId ? `request ${exchange.requestId}` : "no response"}
              </CopyText>
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}
