import { HubApiError } from "@order-operations-hub/sdk/problem";
import type { Logged } from "../live/exchanges.ts";
import { Empty } from "../ui/card.tsx";
import { plural } from "../ui/format.ts";
import { Time } from "../ui/zone.tsx";

const codeOf = ({ error }: Logged): string =>
  error instanceof HubApiError ? `${error.status} ${error.code}` : "no response";

/** Failed requests grouped by cause, so that forty equal failures are one line. */
export function DockErrors({ exchanges }: { exchanges: readonly Logged[] }) {
  const groups = Map.groupBy(exchanges, codeOf);
  if (groups.size === 0) return <Empty text="No request has failed in this tab." />;
  return (
    <ul>
      {[...groups].map(([code, list]) => (
        <li key={code} className="flex flex-wrap items-baseline gap-x-3 border-b border-line px-3 py-1.5">
          <code className="font-mono text-sm text-bad">{code}</code>
          <span className="flex-1">{list[0]!.error?.message}</span>
          <span className="text-sm text-muted">
            {plural(list.length, "time")}, last <Time at={new Date(list[0]!.startedAt).toISOString()} withSeconds /> at{" "}
            {list[0]!.method} {list[0]!.url.split("?")[0]}
          </span>
        </li>
      ))}
    </ul>
  );
}
