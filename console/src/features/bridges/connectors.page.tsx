import { useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { Heading, Skeleton } from "../../ui/card.tsx";
import { Link } from "../../ui/link.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { PluginMark } from "../../ui/plugin-mark.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import type { ConnectorInfo, DefinitionInfo } from "./bridges.queries.ts";
import { connectorsQuery, definitionsQuery } from "./bridges.queries.ts";

/** Lists the connectors with their tasks. */
export function ConnectorsPage() {
  const { data, error, refetch } = useQuery(connectorsQuery);
  const { data: definitions = [] } = useQuery(definitionsQuery);
  return (
    <>
      <PageHead above={{ href: paths.bridges(), name: "Connections" }} title="Add connection" note="choose a system" />
      {error && <ProblemBox error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton />}
      <ul className="grid gap-3 sm:grid-cols-2 xl:grid-cols-3">
        {inOrder(data ?? []).map((connector) => (
          <ConnectorCard key={connector.name} connector={connector} />
        ))}
      </ul>
      {definitions.length > 0 && (
        <section aria-label="Ready-made connections" className="mt-5">
          <Heading
            title="Ready-made connections"
            note="enter address and credentials; requests and mappings are included"
          />
          <ul className="grid gap-3 sm:grid-cols-2 xl:grid-cols-3">
            {definitions.map((definition) => (
              <DefinitionCard key={definition.name} definition={definition} />
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

function DefinitionCard({ definition: { name, title, description } }: { definition: DefinitionInfo }) {
  return (
    <li className={cardClass}>
      <h3 className="text-lg font-semibold tracking-tight">
        <Link
          href={paths.installDefinition(name)}
          className="outline-none after:absolute after:inset-0 after:rounded-lg"
        >
          {title}
        </Link>
      </h3>
      <p className="text-muted">{description}</p>
    </li>
  );
}

const cardClass =
  "relative flex flex-col gap-2 rounded-lg border border-line bg-panel p-3.5 focus-within:border-accent hover:border-accent";

/** Remote systems first: they are the usual choice. */
const inOrder = (connectors: readonly ConnectorInfo[]): ConnectorInfo[] =>
  connectors.toSorted((a, b) => Number(a.isOffline) - Number(b.isOffline) || b.tasks.length - a.tasks.length);

/** Groups of tasks, as in "Imports: import orders, read locations". */
const kinds = [
  ["pull", "Imports"],
  ["push", "Sends"],
  ["call", "Requests"],
] as const;

function ConnectorCard({ connector }: { connector: ConnectorInfo }) {
  const { name, title, description, tasks, isOffline, plugin } = connector;
  return (
    <li className={cardClass}>
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
      <PluginMark plugin={plugin} />
    </li>
  );
}

const maxNamed = 4;

const listText = (names: readonly string[]): string =>
  names.length > maxNamed
    ? `${names.slice(0, maxNamed).join(", ")} and ${names.length - maxNamed} more`
    : names.join(", ");
