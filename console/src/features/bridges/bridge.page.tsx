import type { Bridge } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { paths } from "../../app/paths.ts";
import { Badge } from "../../ui/badge.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { RecordPage } from "../../ui/record-page.tsx";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import { TabLinks } from "../../ui/tabs.tsx";
import { BridgeCredentials } from "./bridge-credentials.form.tsx";
import { BridgeHosts } from "./bridge-hosts.panel.tsx";
import { BridgeExecutions, BridgeMappings, BridgeSchedules } from "./bridge-lists.panel.tsx";
import { BridgeOverview } from "./bridge-overview.panel.tsx";
import { BridgeSettings } from "./bridge-settings.form.tsx";
import { BridgeTasks } from "./bridge-tasks.panel.tsx";
import { bridgeQuery, connectorsQuery } from "./bridges.queries.ts";
import { healthText, healthTone } from "./bridges.text.ts";

const above = { href: paths.bridges(), name: "Connections" };
const tabs = [
  ["overview", "Overview"],
  ["tasks", "Tasks"],
  ["mappings", "Field mappings"],
  ["schedules", "Schedules"],
  ["executions", "Executions"],
  ["settings", "Settings"],
  ["credentials", "Credentials"],
  ["hosts", "Hosts"],
] as const;
type Tab = (typeof tabs)[number][0];

export function BridgePage() {
  const { id } = useParams({ strict: false }) as { id: string };
  return (
    <RecordPage above={above} query={useQuery(bridgeQuery(id))}>
      {(bridge) => <BridgeView bridge={bridge} key={id} />}
    </RecordPage>
  );
}

function BridgeView({ bridge }: { bridge: Bridge }) {
  const { id } = bridge;
  const { search } = useSearchParams();
  const { data: connectors } = useQuery(connectorsQuery);
  const asked = oneOf(search["tab"]);
  const tab: Tab = tabs.find(([name]) => name === asked)?.[0] ?? "overview";
  const connector = connectors?.find((one) => one.name === bridge.connector);
  return (
    <>
      <PageHead
        above={above}
        title={bridge.name}
        note={
          <span className="flex items-center gap-2">
            {connector?.title ?? bridge.connector} <Badge tone={healthTone(bridge)}>{healthText(bridge)}</Badge>
          </span>
        }
      />
      <TabLinks
        label="Sections of the connection"
        tabs={tabs.map(([name, label]) => ({
          href: paths.bridge(id, name === "overview" ? {} : { tab: name }),
          label,
          isOn: name === tab,
        }))}
      />
      <Part key={`${id} ${tab}`} tab={tab} bridge={bridge} />
    </>
  );
}

function Part({ tab, bridge }: { tab: Tab; bridge: Bridge }) {
  switch (tab) {
    case "overview":
      return <BridgeOverview bridge={bridge} />;
    case "tasks":
      return <BridgeTasks bridge={bridge} />;
    case "mappings":
      return <BridgeMappings bridge={bridge} />;
    case "schedules":
      return <BridgeSchedules bridge={bridge} />;
    case "executions":
      return <BridgeExecutions bridge={bridge} />;
    case "settings":
      return <BridgeSettings bridge={bridge} />;
    case "credentials":
      return <BridgeCredentials bridge={bridge} />;
    case "hosts":
      return <BridgeHosts bridge={bridge} />;
  }
}
