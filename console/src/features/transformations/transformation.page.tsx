import type { Transformation } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { paths } from "../../app/paths.ts";
import { Badge } from "../../ui/badge.tsx";
import { Link } from "../../ui/link.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { RecordPage } from "../../ui/record-page.tsx";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import { TabLinks } from "../../ui/tabs.tsx";
import { useEntityNames } from "../pick/entity-names.queries.ts";
import { taskTitle } from "../tasks/task-title.pick.ts";
import { ReplayPanel } from "./replay.panel.tsx";
import { SavedMapping } from "./saved-mapping.tsx";
import { transformationQuery } from "./transformations.queries.ts";
import { VersionsPanel } from "./versions.panel.tsx";

const above = { href: paths.transformations(), name: "Field mappings" };
const tabs = [
  ["mapping", "Mapping"],
  ["versions", "Versions"],
  ["replay", "Replay"],
] as const;

export function TransformationPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  return (
    <RecordPage above={above} query={useQuery(transformationQuery(id))}>
      {(transformation) => <TransformationView transformation={transformation} key={id} />}
    </RecordPage>
  );
}

function TransformationView({ transformation }: { transformation: Transformation }) {
  const { id } = transformation;
  const { search } = useSearchParams();
  const tab = tabs.find(([name]) => name === oneOf(search["tab"]))?.[0] ?? "mapping";
  return (
    <>
      <PageHead above={above} title={transformation.name} note={<About transformation={transformation} />} />
      <TabLinks
        label="Sections of the field mapping"
        tabs={tabs.map(([name, label]) => ({
          href: paths.transformation(id, name === "mapping" ? {} : { tab: name }),
          label,
          isOn: name === tab,
        }))}
      />
      {tab === "mapping" && <SavedMapping transformation={transformation} />}
      {tab === "versions" && <VersionsPanel transformation={transformation} />}
      {tab === "replay" && <ReplayPanel transformation={transformation} />}
    </>
  );
}

function About({
  transformation: { bridgeId, taskName, direction, isActive, version },
}: {
  transformation: Transformation;
}) {
  const { data: bridges } = useEntityNames("bridge");
  return (
    <span className="flex flex-wrap items-center gap-x-2">
      <Link href={paths.bridge(bridgeId, { tab: "mappings" })} className="hover:underline">
        {bridges?.find(({ id }) => id === bridgeId)?.name ?? "Deleted connection"}
      </Link>
      {`${taskTitle(taskName)}, ${direction === "inbound" ? "inbound" : "outbound"}, version ${version}`}
      <Badge tone={isActive ? "ok" : "skip"}>{isActive ? "Active" : "Inactive"}</Badge>
    </span>
  );
}
