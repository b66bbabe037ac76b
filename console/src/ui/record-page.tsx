import type { ReactNode } from "react";
import { buttonClass } from "./button.tsx";
import { Skeleton } from "./card.tsx";
import { Link } from "./link.tsx";
import type { PageAbove } from "./page-head.tsx";
import { PageHead } from "./page-head.tsx";
import { usePageTitle } from "./page-title.ts";
import { ProblemBox } from "./problem-box.tsx";

type Props<Shown> = {
  above: PageAbove;
  query: { data: Shown | undefined; error: Error | null; refetch(): unknown };
  children(record: Shown): ReactNode;
};

/** Page of one record, with its loading and error states. Data that was loaded stays visible. */
export function RecordPage<Shown>({ above, query: { data, error, refetch }, children }: Props<Shown>) {
  if (data !== undefined) return children(data);
  if (!error) return <Loading title={above.name} />;
  return (
    <>
      <PageHead above={above} title="Not shown" />
      <ProblemBox error={error} onRetry={() => void refetch()}>
        <Link href={above.href} className={buttonClass("plain")}>
          All {above.name.toLowerCase()}
        </Link>
      </ProblemBox>
    </>
  );
}

function Loading({ title }: { title: string }) {
  usePageTitle(title);
  return <Skeleton rows={12} />;
}
