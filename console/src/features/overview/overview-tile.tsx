import type { ReactNode } from "react";
import { Card, Heading, Skeleton } from "../../ui/card.tsx";
import { cx } from "../../ui/class-names.ts";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { text } from "./overview.text.ts";

type Query<Data> = { data: Data | undefined; error: Error | null; isPending: boolean; refetch(): unknown };

/** A tile loads and fails independently, and keeps its last data. */
export function Tile<Data>({
  title,
  note,
  query,
  children,
  action,
  isFlush = false,
}: {
  title: string;
  note?: ReactNode;
  query: Query<Data>;
  children(data: Data): ReactNode;
  action?: ReactNode;
  /** The content reaches the edges of the card. */
  isFlush?: boolean;
}) {
  const { data, error, isPending } = query;
  return (
    <Card className={cx("flex min-w-0 flex-col", isFlush ? "" : "px-3.5 pb-2.5")} label={title}>
      <div className={cx("pt-2", isFlush && "px-3.5")}>
        <Heading title={title} note={note}>
          {action}
        </Heading>
      </div>
      {error && data === undefined && <ProblemBox error={error} onRetry={() => void query.refetch()} />}
      {error && data !== undefined && <p className="mb-1 px-3.5 text-sm text-warn">{text.stale}</p>}
      {isPending && <Skeleton />}
      {data !== undefined && children(data)}
    </Card>
  );
}
