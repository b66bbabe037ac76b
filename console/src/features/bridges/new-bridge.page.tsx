import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { paths } from "../../app/paths.ts";
import { hub } from "../../live/hub.ts";
import { useMe } from "../../live/me.ts";
import { buttonClass } from "../../ui/button.tsx";
import { Empty, Skeleton } from "../../ui/card.tsx";
import { Link } from "../../ui/link.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { bridgeCan } from "./bridge.can.ts";
import { connectorsQuery } from "./bridges.queries.ts";
import { ConnectForm } from "./connect.form.tsx";

/** Settings and credentials of a new connection. */
export function NewBridgePage() {
  const { connector: name } = useParams({ strict: false }) as { connector: string };
  const refused = bridgeCan.create(useMe());
  const { data, error, refetch } = useQuery(connectorsQuery);
  const connector = data?.find((one) => one.name === name);
  if (error) return <ProblemBox error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton />;
  if (!connector) return <NoSuchConnection name={name} />;
  return (
    <ConnectForm
      key={name}
      draftKey={`ooh-bridge-${name}`}
      title={connector.title}
      intro={connector.description}
      settingsSchema={connector.settingsSchema}
      settingsPointer="/settings"
      credentialsSchema={connector.credentialsSchema}
      refused={refused}
      create={(connecting) => hub.call("POST /api/v1/bridges", { body: { ...connecting, connector: name } })}
    />
  );
}

export function NoSuchConnection({ name }: { name: string }) {
  return (
    <>
      <PageHead title="Add connection" />
      <Empty text={`This hub has no connector named ${name}.`}>
        <Link href={paths.newBridge()} className={buttonClass("primary")}>
          Choose a connector
        </Link>
      </Empty>
    </>
  );
}
