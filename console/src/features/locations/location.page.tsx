import { useMutation, useQuery } from "@tanstack/react-query";
import { useParams, useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { paths } from "../../app/paths.ts";
import { hub, queryClient } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { SaveRow } from "../../live/save-row.tsx";
import { useRecordForm } from "../../live/use-record-form.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Card, Skeleton } from "../../ui/card.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { CopyText } from "../../ui/copy-text.tsx";
import { FactList } from "../../ui/facts.tsx";
import { words } from "../../ui/format.ts";
import { Link } from "../../ui/link.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { tell } from "../../ui/toast.tsx";
import { Time } from "../../ui/zone.tsx";
import type { LocationDraft } from "./location.form.tsx";
import { addressOf, draftOf, LocationFields, partNames } from "./location.form.tsx";
import type { Location, LocationPatch } from "./locations.queries.ts";
import { locationQuery, readLocation } from "./locations.queries.ts";

export function LocationPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { data: location, error } = useQuery(locationQuery(id));
  const refused = missingScope(useMe(), "locations:write");
  const [isDropping, setDropping] = useState(false);
  if (error && !location) {
    return (
      <>
        <PageHead title="Location" />
        <ProblemBox error={error} />
      </>
    );
  }
  if (!location) return <Skeleton rows={10} />;
  return (
    <>
      <PageHead
        title={
          <>
            <Link href={paths.locations()} className="text-muted hover:underline">
              Locations
            </Link>
            <span aria-hidden className="text-faint">
              /
            </span>
            <span className="truncate">{location.name}</span>
          </>
        }
        note={<Badge tone={location.is_active ? "ok" : "skip"}>{location.is_active ? "in use" : "not in use"}</Badge>}
      >
        {location.bridge_id && (
          <Link href={paths.locationSync(location.bridge_id)} className={buttonClass("plain")}>
            Sync its bridge
          </Link>
        )}
        <Button
          kind="danger"
          disabledReason={refused ?? (location.is_default && "It is the default: make another one that first.")}
          onClick={() => setDropping(true)}
        >
          Delete
        </Button>
      </PageHead>
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-3.5 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <Card className="px-3 py-2.5" label="The location">
          <Edit key={location.id} location={location} refused={refused} />
        </Card>
        <Card className="px-3 py-2" label="About it">
          <FactList
            facts={[
              ["Kept here", keptText(location)],
              ["Synced", <Time key="synced" at={location.last_synced_at} />],
              ["Theirs", location.external_id ?? "made here"],
              ["Changed", <Time key="changed" at={location.updated_at} />],
              ["Id", <CopyText key="id" text={location.id} label="Copy the id" />],
            ]}
          />
        </Card>
      </div>
      {isDropping && <Drop location={location} onClose={() => setDropping(false)} />}
    </>
  );
}

function keptText({ bridge_id: bridgeId, locked_fields: locked }: Location): string {
  if (!bridgeId) return "all of it: it was made here";
  return locked.map(words).join(", ") || "nothing: it follows its bridge";
}

function patchOf({ name, type, is_active, is_default, ...rest }: Partial<LocationDraft>): LocationPatch {
  const address = addressOf(rest);
  return {
    ...(name === undefined ? {} : { name: name.trim() }),
    ...(type === undefined ? {} : { type }),
    ...(Object.keys(address).length === 0 ? {} : { address }),
    ...(is_active === undefined ? {} : { is_active }),
    ...(is_default === undefined ? {} : { is_default }),
  };
}

function Edit({ location, refused }: { location: Location; refused: string | undefined }) {
  const form = useRecordForm<Location, LocationDraft>({
    record: location,
    draftOf,
    read: () => readLocation(location.id),
    write: (change, { version }) =>
      hub.call("PATCH /api/v1/locations/{id}", {
        path: { id: location.id },
        body: patchOf(change),
        ifMatch: version,
      }),
    onSaved: async () => {
      await queryClient.invalidateQueries({ queryKey: ["locations"] });
      tell("Saved");
    },
  });
  return (
    <form className="flex flex-col gap-3" onSubmit={form.submit}>
      <LocationFields draft={form.draft} set={form.set} errors={form.errors} />
      <SaveRow
        form={form}
        names={partNames}
        textOf={(part, draft) => (part === "type" ? words(draft.type) : draft[part])}
        fields={["/name", "/type", "/address"]}
        reason={refused}
      />
    </form>
  );
}

function Drop({ location, onClose }: { location: Location; onClose(): void }) {
  const router = useRouter();
  const drop = useMutation({
    mutationFn: () => hub.call("DELETE /api/v1/locations/{id}", { path: { id: location.id } }),
    onSuccess: async () => {
      tell(`${location.name} is deleted`);
      router.history.push(paths.locations());
      await queryClient.invalidateQueries({ queryKey: ["locations"], refetchType: "none" });
    },
  });
  return (
    <Confirm
      title={`Delete ${location.name}?`}
      yes="Delete"
      isBusy={drop.isPending}
      onYes={() => drop.mutate()}
      onClose={onClose}
    >
      <p>Only one that nothing refers to can be deleted. One that is not needed any more is better put out of use.</p>
      {drop.error && <ProblemBox error={drop.error} />}
    </Confirm>
  );
}
