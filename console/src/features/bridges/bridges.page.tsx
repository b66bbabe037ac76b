import type { Bridge } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { useMe } from "../../live/me.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Empty } from "../../ui/card.tsx";
import { Link, RecordLink } from "../../ui/link.tsx";
import { ListCard, usePage } from "../../ui/list-card.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import type { ListColumn } from "../../ui/table.tsx";
import { Time } from "../../ui/zone.tsx";
import { bridgeCan } from "./bridge.can.ts";
import { bridgesQuery, connectorsQuery } from "./bridges.queries.ts";
import { healthText, healthTone } from "./bridges.text.ts";

const columnsWith = (titleOf: (connector: string) => string): Array<ListColumn<Bridge>> => [
  {
    name: "Name",
    cell: (bridge) => (
      <RecordLink href={paths.bridge(bridge.id)} className="font-medium">
        {bridge.name}
      </RecordLink>
    ),
  },
  { name: "Connector", className: "whitespace-nowrap text-muted", cell: ({ connector }) => titleOf(connector) },
  { name: "State", cell: (bridge) => <Badge tone={healthTone(bridge)}>{healthText(bridge)}</Badge> },
  {
    name: "Last success",
    className: "whitespace-nowrap text-muted",
    cell: ({ health }) => <Time at={health.lastSuccessAt} />,
  },
  {
    name: "Last error",
    className: "max-w-md truncate text-muted",
    cell: ({ health }) =>
      health.status === "failing" && health.lastError ? (
        <span title={health.lastError.message}>{health.lastError.message}</span>
      ) : (
        "–"
      ),
  },
];

/** Connections to shops, ERPs and files. */
export function BridgesPage() {
  const bridges = useQuery(bridgesQuery(usePage()));
  const { data: connectors } = useQuery(connectorsQuery);
  const refused = bridgeCan.create(useMe());
  const titleOf = (name: string): string => connectors?.find((one) => one.name === name)?.title ?? name;
  return (
    <>
      <PageHead title="Connections" note="shops, ERPs, warehouses and files">
        <NewBridge refused={refused} />
      </PageHead>
      <ListCard
        label="Connections"
        query={bridges}
        columns={columnsWith(titleOf)}
        idOf={(bridge) => bridge.id}
        empty={
          <Empty text="No connections yet. Connect a shop to import its orders and report shipments to it.">
            <NewBridge refused={refused} />
          </Empty>
        }
      />
    </>
  );
}

function NewBridge({ refused }: { refused: string | undefined }) {
  if (refused) {
    return (
      <Button kind="primary" disabledReason={refused}>
        Add connection
      </Button>
    );
  }
  return (
    <Link href={paths.newBridge()} className={buttonClass("primary")}>
      Add connection
    </Link>
  );
}
