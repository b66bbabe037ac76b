import type { Bridge } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { useMe } from "../../live/me.ts";
import { buttonClass } from "../../ui/button.tsx";
import { Card, Heading, Skeleton } from "../../ui/card.tsx";
import { Link } from "../../ui/link.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { organizationQuery } from "../organizations/organizations.queries.ts";

/** Hosts that this bridge calls, and the allow list of the organization. */
export function BridgeHosts({ bridge }: { bridge: Bridge }) {
  const me = useMe();
  const { data, error, refetch } = useQuery(organizationQuery(me.organization.id));
  const own = hostsIn(bridge.settings);
  return (
    <Card className="flex max-w-2xl flex-col gap-2.5 px-3.5 py-3" label="Hosts">
      <Heading title="Where it calls" />
      {own.length === 0 ? (
        <p className="text-muted">Its settings name no address.</p>
      ) : (
        <ul className="font-mono text-sm">
          {own.map((host) => (
            <li key={host}>{host}</li>
          ))}
        </ul>
      )}
      <Heading title="Where bridges may call" note="the same for all of the organization" />
      {error && <ProblemBox error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={2} />}
      {data && <Allowed hosts={data.outboundHosts} />}
      <div>
        <Link href={paths.organizations()} className={buttonClass("plain")}>
          Rules of the organization
        </Link>
      </div>
    </Card>
  );
}

function Allowed({ hosts }: { hosts: readonly string[] }) {
  if (hosts.length === 0) return <p className="text-muted">Anywhere the hub itself may call: there is no list.</p>;
  return (
    <ul className="font-mono text-sm">
      {hosts.map((host) => (
        <li key={host}>{host}</li>
      ))}
    </ul>
  );
}

/** Hosts of the URLs in the settings. */
function hostsIn(settings: Record<string, unknown>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => {
    if (typeof value !== "string") return [];
    if (name === "shop" && !settings["baseUrl"]) return [`${value.replace(/\.myshopify\.com$/, "")}.myshopify.com`];
    return URL.canParse(value) && /^https?:/.test(value) ? [new URL(value).host] : [];
  });
}
