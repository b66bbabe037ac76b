import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { Badge } from "../../ui/badge.tsx";
import { Card, Skeleton } from "../../ui/card.tsx";
import { cx } from "../../ui/class-names.ts";
import { formatCount, plural } from "../../ui/format.ts";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { Time } from "../../ui/zone.tsx";
import { logQuery } from "./tasks.queries.ts";

const maxShown = 2_000;
const levelClass: Record<string, string> = { warn: "text-warn", error: "text-bad" };

/** Live log. Follows the end unless the user has scrolled up. */
export function TaskLog({ id, isOver }: { id: string; isOver: boolean }) {
  const { data, error, refetch } = useQuery(logQuery(id));
  const box = useRef<HTMLDivElement>(null);
  const [isFollowing, setFollowing] = useState(true);
  const count = data?.lines.length ?? 0;
  useEffect(() => {
    if (isFollowing && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [count, isFollowing]);
  const lines = data?.lines.slice(-maxShown) ?? [];
  return (
    <Card label="Log">
      <p className="flex min-h-9 items-center gap-2 border-b border-line px-3">
        <span className="font-semibold">Log</span>
        {data && (
          <span className="text-muted">
            {lines.length < count
              ? `the last ${formatCount(maxShown)} of ${plural(count, "line")}`
              : plural(count, "line")}
          </span>
        )}
        {!isOver && <Badge tone="info">Live</Badge>}
      </p>
      {error && !data && <ProblemBox error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={3} />}
      {data && count === 0 && (
        <p className="px-3 py-2.5 text-muted">
          {isOver ? "The log is empty." : "No lines yet. New lines appear here."}
        </p>
      )}
      {count > 0 && (
        <div
          ref={box}
          role="log"
          aria-label="Log lines"
          aria-live="off"
          // Focusable, so that it can be scrolled by keyboard.
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
          tabIndex={0}
          onScroll={({ currentTarget: at }) => setFollowing(at.scrollHeight - at.scrollTop - at.clientHeight < 24)}
          className="max-h-80 overflow-auto py-1 font-mono text-sm"
        >
          {lines.map((line) => (
            <div key={line.line} className="flex gap-3 px-3 hover:bg-skip-soft">
              <span className="shrink-0 text-faint">
                <Time at={line.at} withSeconds />
              </span>
              {line.attempt > 1 && <span className="shrink-0 text-faint">attempt {line.attempt}</span>}
              <span className={cx("min-w-0 break-words whitespace-pre-wrap", levelClass[line.level])}>
                {line.level === "info" ? "" : `${line.level}: `}
                {line.message}
              </span>
            </div>
          ))}
        </div>
      )}
    </Card>
  );
}
