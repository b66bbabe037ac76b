import type { Transformation } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Empty } from "../../ui/card.tsx";
import { Link, RecordLink } from "../../ui/link.tsx";
import { ListCard, usePage } from "../../ui/list-card.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import type { ListColumn } from "../../ui/table.tsx";
import { TabLinks } from "../../ui/tabs.tsx";
import { Time } from "../../ui/zone.tsx";
import { useEntityNames } from "../pick/entity-names.queries.ts";
import { transformationsQuery } from "./transformations.queries.ts";

const columnsWith = (bridgeName: (id: string) => string): Array<ListColumn<Transformation>> => [
  {
    name: "Name",
    cell: (one) => (
      <RecordLink href={paths.transformation(one.id)} className="font-medium">
        {one.name}
      </RecordLink>
    ),
  },
  {
    name: "Bridge",
    className: "whitespace-nowrap",
    cell: ({ bridgeId }) => (
      <Link href={paths.bridge(bridgeId)} className="hover:underline">
        {bridgeName(bridgeId)}
      </Link>
    ),
  },
  { name: "Task", className: "font-mono text-sm whitespace-nowrap", cell: ({ taskName }) => taskName },
  {
    name: "Direction",
    className: "whitespace-nowrap",
    cell: ({ direction }) => (direction === "inbound" ? "Inbound" : "Outbound"),
  },
  { name: "Rows", isNumber: true, cell: ({ mappings }) => mappings.length },
  {
    name: "State",
    cell: ({ isActive }) => <Badge tone={isActive ? "ok" : "skip"}>{isActive ? "active" : "not active"}</Badge>,
  },
  { name: "Version", isNumber: true, cell: ({ version }) => version },
  { name: "Changed", className: "whitespace-nowrap text-muted", cell: ({ updatedAt }) => <Time at={updatedAt} /> },
];

/** Mappings between bridge data and hub data. */
export function TransformationsPage() {
  const { search } = useSearchParams();
  const state = oneOf(search["state"]);
  const isActive = state === "active" ? true : state === "off" ? false : undefined;
  const { data: bridges } = useEntityNames("bridge");
  const refused = missingScope(useMe(), "transformations:write");
  const nameOf = (id: string): string => bridges?.find((one) => one.id === id)?.name ?? "a bridge that is gone";
  return (
    <>
      <PageHead title="Transformations" note="how data of bridges become the hub's, and the other way round">
        <NewTransformation refused={refused} />
      </PageHead>
      <TabLinks
        label="Transformations by state"
        tabs={[
          { href: paths.transformations(), label: "All", isOn: isActive === undefined },
          { href: paths.transformations({ state: "active" }), label: "Active", isOn: isActive === true },
          { href: paths.transformations({ state: "off" }), label: "Not active", isOn: isActive === false },
        ]}
      />
      <ListCard
        label="Transformations"
        query={useQuery(transformationsQuery(usePage(), isActive))}
        columns={columnsWith(nameOf)}
        idOf={(one) => one.id}
        empty={
          <Empty
            text={
              isActive === undefined
                ? "None yet. Connectors know how to read and write orders by themselves; a transformation is for what they cannot know."
                : `None is ${isActive ? "active" : "switched off"}.`
            }
          >
            <NewTransformation refused={refused} />
          </Empty>
        }
      />
    </>
  );
}

function NewTransformation({ refused }: { refused: string | undefined }) {
  if (refused) {
    return (
      <Button kind="primary" disabledReason={refused}>
        New transformation
      </Button>
    );
  }
  return (
    <Link href={paths.newTransformation()} className={buttonClass("primary")}>
      New transformation
    </Link>
  );
}
