import { useMutation, useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { paths } from "../../app/paths.ts";
import { hub, queryClient } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Card, Empty, Skeleton } from "../../ui/card.tsx";
import { changeText, valueText } from "../../ui/change-text.ts";
import { Figures } from "../../ui/figures.tsx";
import { fieldName, formatCount, plural, sentence, words } from "../../ui/format.ts";
import { Link } from "../../ui/link.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { Table, Td, Th } from "../../ui/table.tsx";
import { showToast } from "../../ui/toast.tsx";
import type { Tone } from "../../ui/tone.ts";
import { Time } from "../../ui/zone.tsx";
import { useEntityNames } from "../pick/entity-names.queries.ts";
import type { LocationSync } from "./locations.queries.ts";
import { syncPreviewQuery } from "./locations.queries.ts";

const tones: Record<string, Tone> = { created: "ok", updated: "info", deactivated: "warn", unchanged: "skip" };

/** Preview of a location sync. Nothing is written before it is confirmed. */
export function LocationSyncPage() {
  const { bridgeId } = useParams({ strict: false }) as { bridgeId: string };
  const refused = missingScope(useMe(), "locations:write");
  const { data: bridges } = useEntityNames("bridge");
  const preview = useQuery({ ...syncPreviewQuery(bridgeId), enabled: refused === undefined });
  const apply = useMutation({
    mutationFn: () => hub.call("POST /api/v1/locations/sync/{bridgeId}", { path: { bridgeId } }),
    onSuccess: async ({ summary }) => {
      showToast("Locations synced", { text: countsText(summary) });
      await queryClient.invalidateQueries({ queryKey: ["locations", "list"] });
      await queryClient.invalidateQueries({ queryKey: ["locations", "names"] });
    },
  });
  const shown = apply.data ?? preview.data;
  const count = shown ? shown.summary.created + shown.summary.updated + shown.summary.deactivated : 0;
  const name = bridges?.find(({ id }) => id === bridgeId)?.name ?? "the connection";
  return (
    <>
      <PageHead
        above={{ href: paths.locations(), name: "Locations" }}
        title={`Sync ${name}`}
        note={
          shown &&
          (apply.data ? (
            <>
              applied <Time at={shown.finished_at} withSeconds />
            </>
          ) : (
            <>
              checked <Time at={shown.finished_at} withSeconds />, not applied yet
            </>
          ))
        }
      >
        <Button
          isBusy={preview.isFetching}
          disabledReason={refused}
          onClick={() => {
            apply.reset();
            void preview.refetch();
          }}
        >
          Check again
        </Button>
        <Button
          kind="primary"
          isBusy={apply.isPending}
          disabledReason={
            refused ||
            (apply.data && "The changes are applied.") ||
            (!preview.data && "The preview is still loading.") ||
            (count === 0 && "There is nothing to change.")
          }
          onClick={() => apply.mutate()}
        >
          Apply {plural(apply.data ? 0 : count, "change")}
        </Button>
      </PageHead>
      <div className="flex flex-col gap-2.5">
        {refused && <p className="text-muted">{refused}</p>}
        {(preview.error ?? apply.error) && (
          <ProblemBox error={preview.error ?? apply.error} onRetry={() => void preview.refetch()}>
            <Link href={paths.bridge(bridgeId)} className="text-accent-text underline underline-offset-2">
              Open the connection
            </Link>
          </ProblemBox>
        )}
        {preview.isFetching && !shown && <Skeleton />}
        {shown && <Shown sync={shown} />}
      </div>
    </>
  );
}

const countsText = ({ created, updated, deactivated }: LocationSync["summary"]): string =>
  `${formatCount(created)} new, ${formatCount(updated)} changed, ${formatCount(deactivated)} deactivated.`;

function Shown({ sync }: { sync: LocationSync }) {
  const { summary, changes, errors } = sync;
  const moving = changes.filter(({ action, kept_local: kept }) => action !== "unchanged" || kept.length > 0);
  return (
    <>
      <Figures
        label="Locations at the connection"
        figures={[
          { label: "At the source", value: summary.fetched },
          { label: "New", value: summary.created, tone: "ok" },
          { label: "Changed", value: summary.updated },
          { label: "Deactivated", value: summary.deactivated, tone: "warn" },
          { label: "Unchanged", value: summary.unchanged },
          { label: "Rejected", value: summary.failed, tone: "bad" },
        ]}
      />
      {errors.length > 0 && (
        <Card label="Rejected" className="px-3 py-2.5">
          <ul className="list-disc ps-4 text-bad">
            {errors.slice(0, 50).map((one) => (
              <li key={one.external_id}>
                <code className="font-mono text-sm">{one.external_id}</code> {one.message}
              </li>
            ))}
          </ul>
        </Card>
      )}
      <Card label="Changes">
        {moving.length === 0 ? (
          <Empty text="Everything is up to date. The locations match those of the connection.">
            <Link href={paths.locations()} className={buttonClass("plain")}>
              Go to Locations
            </Link>
          </Empty>
        ) : (
          <Table label="Changes">
            <thead>
              <tr>
                <Th>Location</Th>
                <Th>Change</Th>
                <Th>Values</Th>
                <Th>Kept from here</Th>
              </tr>
            </thead>
            <tbody>
              {moving.map((one) => (
                <tr key={one.external_id}>
                  <Td className="font-medium whitespace-nowrap">{one.name}</Td>
                  <Td>
                    <Badge tone={tones[one.action] ?? "skip"}>
                      {one.action === "created" ? "New" : sentence(one.action)}
                    </Badge>
                  </Td>
                  <Td className="py-1">
                    {one.changes.length === 0
                      ? "–"
                      : one.changes.map((change) => (
                          <div key={change.path}>
                            <span className="text-muted">{fieldName(change.path)}</span>{" "}
                            <span className="text-bad line-through">{valueText(change.from)}</span> →{" "}
                            <span className="text-ok">{changeText(change).text}</span>
                          </div>
                        ))}
                  </Td>
                  <Td className="text-muted">{one.kept_local.map(words).join(", ") || "–"}</Td>
                </tr>
              ))}
            </tbody>
          </Table>
        )}
      </Card>
      <Twins suggestions={sync.suggestions} />
    </>
  );
}

function Twins({ suggestions }: { suggestions: LocationSync["suggestions"] }) {
  const { data: names } = useEntityNames("location");
  if (suggestions.length === 0) return null;
  return (
    <Card label="Possible duplicates" className="px-3 py-2.5">
      <p className="mb-1 font-semibold">Possible duplicates</p>
      <ul className="list-disc ps-4">
        {suggestions.map((one) => (
          <li key={one.location_ids.join()}>
            {one.location_ids.map((id, at) => (
              <span key={id}>
                {at > 0 && " and "}
                <Link href={paths.location(id)} className="text-accent-text underline underline-offset-2">
                  {names?.find((known) => known.id === id)?.name ?? "a location"}
                </Link>
              </span>
            ))}
            : {one.reasons.join(", ")}
          </li>
        ))}
      </ul>
    </Card>
  );
}
