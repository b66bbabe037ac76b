import { useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { Skeleton } from "../../ui/card.tsx";
import { Link } from "../../ui/link.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import type { ConnectorInfo } from "./bridges.queries.ts";
import { connectorsQuery } from "./bridges.queries.ts";

/** Lists the connectors with their tasks. */
export function ConnectorsPage() {
  const { data, error, refetch } = useQuery(connectorsQuery);
  return (
    <>
      <PageHead above={{ href: paths.bridges(), name: "Bridges" }} title="New" note="with what?" />
      {error && <ProblemBox error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton />}
      <ul className="grid gap-3 sm:grid-cols-2 xl:grid-cols-3">
        {inOrder(data ?? []).map((connector) => (
          <ConnectorCard key={connector.name} connector={connector} />
        ))}
      </ul>
    </>
  );
}

/** Remote systems first: they are the usual choice. */
const inOrder = (connectors: readonly ConnectorInfo[]): ConnectorInfo[] =>
  connectors.toSorted((a, b) => Number(a.isOffline) - Number(b.isOffline) || b.tasks.length - a.tasks.length);

/** Groups of tasks, as in "Reads: import orders, read locations". */
const kinds = [
  ["pull", "Reads"],
  ["push", "Sends"],
  ["call", "Asks"],
] as const;

function ConnectorCard({ connector: { name, title, description, tasks, isOffline } }: { connector: ConnectorInfo }) {
  return (
    <li className="relative flex flex-col gap-2 rounded-lg border border-line bg-panel p-3.5 focus-within:border-accent hover:border-accent">
      <h2 className="text-lg font-semibold tracking-tight">
        <Link href={paths.newBridge(name)} className="outline-none after:absolute after:inset-0 after:rounded-lg">
          {title}
        </Link>
      </h2>
      <p className="text-muted">{description}</p>
      <dl className="grid grid-cols-[auto_1fr] gap-x-2.5 text-sm">
        {kinds.map(([mode, word]) => {
          const titles = tasks.filter((task) => task.mode === mode && task.name !== "connection.test");
          if (titles.length === 0) return null;
          return (
            <div key={mode} className="col-span-2 grid grid-cols-subgrid">
              <dt className="text-faint">{word}</dt>
              <dd>{listText(titles.map((task) => task.title.toLowerCase()))}</dd>
            </div>
          );
        })}
      </dl>
      {isOffline && <p className="text-sm text-faint">Makes no outbound requests.</p>}
    </li>
  );
}

const maxNamed = 4;

const listText = (names: readonly string[]): string =>
  names.length > maxNamed
    ? `${names.slice(0, maxNamed).join(", ")} and ${names.length - maxNamed} more`
    : names.join(", ");
