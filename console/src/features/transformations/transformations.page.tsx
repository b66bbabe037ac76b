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
import { taskTitle } from "../tasks/task-title.pick.ts";
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
    name: "Connection",
    className: "whitespace-nowrap",
    cell: ({ bridgeId }) => (
      <Link href={paths.bridge(bridgeId)} className="hover:underline">
        {bridgeName(bridgeId)}
      </Link>
    ),
  },
  { name: "Task", className: "whitespace-nowrap", cell: ({ taskName }) => taskTitle(taskName) },
  {
    name: "Direction",
    className: "whitespace-nowrap",
    cell: ({ direction }) => (direction === "inbound" ? "Inbound" : "Outbound"),
  },
  { name: "Rows", isNumber: true, cell: ({ mappings }) => mappings.length },
  {
    name: "State",
    cell: ({ isActive }) => <Badge tone={isActive ? "ok" : "skip"}>{isActive ? "Active" : "Inactive"}</Badge>,
  },
  { name: "Version", isNumber: true, cell: ({ version }) => version },
  { name: "Updated", className: "whitespace-nowrap text-muted", cell: ({ updatedAt }) => <Time at={updatedAt} /> },
];

/** Mappings between the data of connections and of the hub. */
export function TransformationsPage() {
  const { search } = useSearchParams();
  const state = oneOf(search["state"]);
  const isActive = state === "active" ? true : state === "off" ? false : undefined;
  const { data: bridges } = useEntityNames("bridge");
  const refused = missingScope(useMe(), "transformations:write");
  const nameOf = (id: string): string => bridges?.find((one) => one.id === id)?.name ?? "Deleted connection";
  return (
    <>
      <PageHead title="Field mappings" note="how fields of connected systems become fields of the hub, and back">
        <NewTransformation refused={refused} />
      </PageHead>
      <TabLinks
        label="Field mappings by state"
        tabs={[
          { href: paths.transformations(), label: "All", isOn: isActive === undefined },
          { href: paths.transformations({ state: "active" }), label: "Active", isOn: isActive === true },
          { href: paths.transformations({ state: "off" }), label: "Inactive", isOn: isActive === false },
        ]}
      />
      <ListCard
        label="Field mappings"
        query={useQuery(transformationsQuery(usePage(), isActive))}
        columns={columnsWith(nameOf)}
        idOf={(one) => one.id}
        empty={
          <Empty
            text={
              isActive === undefined
                ? "No field mappings yet. Shops such as Shopify need none; create one for your own formats or to change single fields."
                : isActive
                  ? "No field mapping is active."
                  : "No field mapping is inactive."
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
        New field mapping
      </Button>
    );
  }
  return (
    <Link href={paths.newTransformation()} className={buttonClass("primary")}>
      New field mapping
    </Link>
  );
}
