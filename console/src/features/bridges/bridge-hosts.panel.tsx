import type { Bridge } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { useMe } from "../../live/me.ts";
import { buttonClass } from "../../ui/button.tsx";
import { Card, Heading, Skeleton } from "../../ui/card.tsx";
import { Link } from "../../ui/link.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { organizationQuery } from "../organizations/organizations.queries.ts";
import { hostsIn } from "./bridges.text.ts";

/** Hosts that this connection calls, and the allow list of the organization. */
export function BridgeHosts({ bridge }: { bridge: Bridge }) {
  const me = useMe();
  const { data, error, refetch } = useQuery(organizationQuery(me.organization.id));
  const own = hostsIn(bridge.settings);
  return (
    <Card className="flex max-w-2xl flex-col gap-2.5 px-3.5 py-3" label="Hosts">
      <Heading title="Hosts of this connection" />
      {own.length === 0 ? (
        <p className="text-muted">The settings contain no address.</p>
      ) : (
        <ul className="font-mono text-sm">
          {own.map((host) => (
            <li key={host}>{host}</li>
          ))}
        </ul>
      )}
      <Heading title="Allowed hosts" note="for all connections of the organization" />
      {error && <ProblemBox error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={2} />}
      {data && <Allowed hosts={data.outboundHosts} />}
      <div>
        <Link href={paths.organizations()} className={buttonClass("plain")}>
          Organization settings
        </Link>
      </div>
    </Card>
  );
}

function Allowed({ hosts }: { hosts: readonly string[] }) {
  if (hosts.length === 0) return <p className="text-muted">All hosts that the hub itself may call.</p>;
  return (
    <ul className="font-mono text-sm">
      {hosts.map((host) => (
        <li key={host}>{host}</li>
      ))}
    </ul>
  );
}
