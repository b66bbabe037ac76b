import type { ReactNode } from "react";
import { Card, Heading, Skeleton } from "../../ui/card.tsx";
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
}: {
  title: string;
  note?: ReactNode;
  query: Query<Data>;
  children(data: Data): ReactNode;
  action?: ReactNode;
}) {
  const { data, error, isPending } = query;
  return (
    <Card className="min-w-0 px-3 py-2.5" label={title}>
      <Heading title={title} note={note}>
        {action}
      </Heading>
      {error && data === undefined && <ProblemBox error={error} onRetry={() => void query.refetch()} />}
      {error && data !== undefined && <p className="mb-1 text-sm text-warn">{text.stale}</p>}
      {isPending && <Skeleton />}
      {data !== undefined && children(data)}
    </Card>
  );
}
