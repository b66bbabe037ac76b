import type { Transformation } from "@order-operations-hub/sdk/api-types";
import { useMutation, useQuery } from "@tanstack/react-query";
import { hub, queryClient } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { Button } from "../../ui/button.tsx";
import { Card, Heading, Skeleton } from "../../ui/card.tsx";
import { cx } from "../../ui/class-names.ts";
import { DiffView } from "../../ui/diff-view.tsx";
import { plural, words } from "../../ui/format.ts";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import { showToast } from "../../ui/toast.tsx";
import { Time } from "../../ui/zone.tsx";
import { mappingText } from "./mapping.ts";
import type { Version } from "./transformations.queries.ts";
import { versionsQuery } from "./transformations.queries.ts";

/** Version history with diffs and rollback. */
export function VersionsPanel({ transformation }: { transformation: Transformation }) {
  const { search, set } = useSearchParams();
  const { data, error, refetch } = useQuery(versionsQuery(transformation.id, 1));
  if (error) return <ProblemBox error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton />;
  const versions = data.data;
  const asked = Number(oneOf(search["version"]));
  const at = Math.max(
    0,
    versions.findIndex(({ version }) => version === asked),
  );
  const shown = versions[at];
  if (!shown) return null;
  return (
    <div className="grid items-start gap-3.5 lg:grid-cols-[260px_minmax(0,1fr)]">
      <Card label="Versions">
        <ol>
          {versions.map((one) => (
            <li key={one.version} className="border-b border-line last:border-b-0">
              <button
                type="button"
                aria-current={one === shown}
                onClick={() => set({ version: String(one.version) }, "replace")}
                className={cx(
                  "flex min-h-9 w-full flex-col px-3 py-1.5 text-start",
                  one === shown ? "bg-accent-soft" : "hover:bg-skip-soft",
                )}
              >
                <span className="font-medium">
                  Version {one.version}
                  {one.version === transformation.version && <span className="font-normal text-muted"> (current)</span>}
                </span>
                <span className="text-sm text-muted">
                  {authorOf(one)}, <Time at={one.createdAt} />
                </span>
              </button>
            </li>
          ))}
        </ol>
      </Card>
      <Shown version={shown} before={versions[at + 1]} transformation={transformation} />
    </div>
  );
}

const authorOf = ({ createdBy }: Version): string => createdBy.name ?? createdBy.email ?? words(createdBy.type);

type ShownProps = { version: Version; before: Version | undefined; transformation: Transformation };

function Shown({ version, before, transformation }: ShownProps) {
  const refused = missingScope(useMe(), "transformations:write");
  const { set } = useSearchParams();
  const restore = useMutation({
    mutationFn: () =>
      hub.call("POST /api/v1/transformations/{id}/rollback", {
        path: { id: transformation.id },
        ifMatch: transformation.version,
        body: { version: version.version },
      }),
    onSuccess: async (saved) => {
      showToast(`Version ${version.version} restored as version ${saved.version}`);
      await queryClient.invalidateQueries({ queryKey: ["transformations"] });
      set({ version: undefined }, "replace");
    },
  });
  const isNow = version.version === transformation.version;
  return (
    <section aria-label={`Version ${version.version}`} className="flex min-w-0 flex-col gap-2">
      <Heading
        title={`Version ${version.version}`}
        note={
          before
            ? `changes since version ${before.version}`
            : `first version, ${plural(version.mappings.length, "row")}`
        }
      >
        <Button
          isBusy={restore.isPending}
          disabledReason={refused ?? (isNow && "This is the current version.")}
          onClick={() => restore.mutate()}
        >
          Restore this version
        </Button>
      </Heading>
      {restore.error && <ProblemBox error={restore.error} />}
      {before && <Renamed before={before} version={version} />}
      <DiffView
        label={`Changes of version ${version.version}`}
        before={before ? mappingText(before.mappings) : ""}
        after={mappingText(version.mappings)}
      />
    </section>
  );
}

function Renamed({ before, version }: { before: Version; version: Version }) {
  return (
    <>
      {before.name !== version.name && (
        <p>
          Renamed from <span className="font-medium">{before.name}</span> to{" "}
          <span className="font-medium">{version.name}</span>.
        </p>
      )}
      {before.isActive !== version.isActive && <p>{version.isActive ? "Activated." : "Deactivated."}</p>}
    </>
  );
}
