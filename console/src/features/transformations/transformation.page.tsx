import type { Transformation } from "@order-operations-hub/sdk/api-types";
import { HubApiError } from "@order-operations-hub/sdk/problem";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { paths } from "../../app/paths.ts";
import { Badge } from "../../ui/badge.tsx";
import { buttonClass } from "../../ui/button.tsx";
import { Skeleton } from "../../ui/card.tsx";
import { Crumbs } from "../../ui/crumbs.tsx";
import { Link } from "../../ui/link.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import { TabLinks } from "../../ui/tabs.tsx";
import { bridgeTasksQuery } from "../bridges/bridges.queries.ts";
import { useEntityNames } from "../pick/entity-names.queries.ts";
import { ReplayPanel } from "./replay.panel.tsx";
import { SavedMapping } from "./saved-mapping.tsx";
import { transformationQuery } from "./transformations.queries.ts";
import { VersionsPanel } from "./versions.panel.tsx";

const tabs = [
  ["mapping", "Mapping"],
  ["versions", "Versions"],
  ["replay", "Replay"],
] as const;

export function TransformationPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { search } = useSearchParams();
  const { data: one, error, refetch } = useQuery(transformationQuery(id));
  if (error && !one) {
    const isGone = error instanceof HubApiError && error.status === 404;
    return (
      <>
        <PageHead title={isGone ? "There is no such transformation" : "This transformation could not be shown"} />
        <div className="max-w-2xl">
          <ProblemBox error={error} onRetry={() => void refetch()}>
            <Link href={paths.transformations()} className={buttonClass("plain")}>
              All transformations
            </Link>
          </ProblemBox>
        </div>
      </>
    );
  }
  if (!one) return <Skeleton rows={12} />;
  const tab = tabs.find(([name]) => name === oneOf(search["tab"]))?.[0] ?? "mapping";
  return (
    <>
      <PageHead
        title={
          <Crumbs href={paths.transformations()} name="Transformations">
            {one.name}
          </Crumbs>
        }
        note={<About transformation={one} />}
      />
      <TabLinks
        label="Parts of the transformation"
        tabs={tabs.map(([name, label]) => ({
          href: paths.transformation(id, name === "mapping" ? {} : { tab: name }),
          label,
          isOn: name === tab,
        }))}
      />
      {tab === "mapping" && <SavedMapping key={id} transformation={one} />}
      {tab === "versions" && <VersionsPanel key={id} transformation={one} />}
      {tab === "replay" && <ReplayPanel key={id} transformation={one} />}
    </>
  );
}

function About({
  transformation: { bridgeId, taskName, direction, isActive, version },
}: {
  transformation: Transformation;
}) {
  const { data: bridges } = useEntityNames("bridge");
  const { data: tasks } = useQuery(bridgeTasksQuery(bridgeId));
  const title = tasks?.find(({ name }) => name === taskName)?.title.toLowerCase() ?? taskName;
  return (
    <span className="flex flex-wrap items-center gap-x-2">
      <Link href={paths.bridge(bridgeId, { tab: "mappings" })} className="hover:underline">
        {bridges?.find(({ id }) => id === bridgeId)?.name ?? "a bridge that is gone"}
      </Link>
      {`${title}, ${direction === "inbound" ? "comes in" : "goes out"}, version ${version}`}
      <Badge tone={isActive ? "ok" : "skip"}>{isActive ? "active" : "not active"}</Badge>
    </span>
  );
}
