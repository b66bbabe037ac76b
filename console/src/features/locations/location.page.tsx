import { useMutation, useQuery } from "@tanstack/react-query";
import { useParams, useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { paths } from "../../app/paths.ts";
import { hub, queryClient } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { useSave } from "../../live/use-save.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Card, Skeleton } from "../../ui/card.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { ConflictBox } from "../../ui/conflict-box.tsx";
import { CopyText } from "../../ui/copy-text.tsx";
import { FactList } from "../../ui/facts.tsx";
import { words } from "../../ui/format.ts";
import { Link } from "../../ui/link.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { tell } from "../../ui/toast.tsx";
import { useDraft } from "../../ui/use-draft.ts";
import { Time } from "../../ui/zone.tsx";
import type { LocationDraft } from "./location.form.tsx";
import { addressOf, draftOf, LocationForm } from "./location.form.tsx";
import type { Location, LocationPatch } from "./locations.queries.ts";
import { locationQuery, readLocation } from "./locations.queries.ts";
import { placeText } from "./locations.text.ts";

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

/** Only what was changed here: what others changed beside it stays. */
function patchOf(draft: LocationDraft, before: LocationDraft): LocationPatch {
  const address = addressOf(draft, before);
  return {
    ...(draft.name === before.name ? {} : { name: draft.name.trim() }),
    ...(draft.type === before.type ? {} : { type: draft.type }),
    ...(Object.keys(address).length === 0 ? {} : { address }),
    ...(draft.is_active === before.is_active ? {} : { is_active: draft.is_active }),
    ...(draft.is_default === before.is_default ? {} : { is_default: draft.is_default }),
  };
}

function Edit({ location, refused }: { location: Location; refused: string | undefined }) {
  const { base, draft, setDraft, take } = useDraft(location, draftOf);
  const saving = useSave<Location, LocationPatch>({
    read: () => readLocation(location.id),
    write: (body, ifMatch) => hub.call("PATCH /api/v1/locations/{id}", { path: { id: location.id }, body, ifMatch }),
    onSaved: async (saved) => {
      take(saved);
      await queryClient.invalidateQueries({ queryKey: ["locations"] });
      tell("Saved");
    },
  });
  const patch = patchOf(draft, draftOf(base));
  const isChanged = Object.keys(patch).length > 0;
  const { conflict } = saving;
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (isChanged && !refused) saving.save(patch, base.version);
      }}
    >
      <LocationForm draft={draft} onChange={setDraft} error={saving.error} />
      {conflict && (
        <ConflictBox
          fields={differencesOf(conflict.theirs, conflict.mine)}
          isBusy={saving.isPending}
          onTakeTheirs={() => {
            take(conflict.theirs);
            saving.reset();
          }}
          onKeepMine={() => saving.save(conflict.mine, conflict.theirs.version)}
        />
      )}
      {saving.error && <ProblemBox error={saving.error} />}
      <div>
        <Button
          kind="primary"
          type="submit"
          isBusy={saving.isPending}
          disabledReason={refused ?? (!isChanged && "Nothing is changed.")}
        >
          Save
        </Button>
      </div>
    </form>
  );
}

function differencesOf(theirs: Location, mine: LocationPatch) {
  const address = { ...theirs.address, ...mine.address };
  return [
    { name: "Name", theirs: theirs.name, mine: mine.name ?? theirs.name },
    { name: "Kind", theirs: words(theirs.type), mine: words(mine.type ?? theirs.type) },
    { name: "Address", theirs: placeText(theirs), mine: placeText({ address } as Pick<Location, "address">) },
    { name: "In use", theirs: theirs.is_active, mine: mine.is_active ?? theirs.is_active },
    { name: "Default", theirs: theirs.is_default, mine: mine.is_default ?? theirs.is_default },
  ];
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
