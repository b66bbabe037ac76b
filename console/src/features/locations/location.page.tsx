import { useQuery } from "@tanstack/react-query";
import { useParams, useRouter } from "@tanstack/react-router";
import { paths } from "../../app/paths.ts";
import { hub, queryClient } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { SaveForm } from "../../live/save-row.tsx";
import { useRecordForm } from "../../live/use-record-form.ts";
import { Badge } from "../../ui/badge.tsx";
import { buttonClass } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ConfirmButton } from "../../ui/confirm.tsx";
import { CopyText } from "../../ui/copy-text.tsx";
import { FactList } from "../../ui/facts.tsx";
import { words } from "../../ui/format.ts";
import { Link } from "../../ui/link.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { RecordPage } from "../../ui/record-page.tsx";
import { showToast } from "../../ui/toast.tsx";
import { Time } from "../../ui/zone.tsx";
import type { LocationDraft } from "./location.form.tsx";
import { addressOf, draftOf, LocationFields, partNames } from "./location.form.tsx";
import type { Location, LocationPatch } from "./locations.queries.ts";
import { locationQuery, readLocation } from "./locations.queries.ts";

const above = { href: paths.locations(), name: "Locations" };

export function LocationPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  return (
    <RecordPage above={above} query={useQuery(locationQuery(id))}>
      {(location) => <LocationView location={location} key={id} />}
    </RecordPage>
  );
}

function LocationView({ location }: { location: Location }) {
  const router = useRouter();
  const refused = missingScope(useMe(), "locations:write");
  return (
    <>
      <PageHead
        above={above}
        title={location.name}
        note={<Badge tone={location.is_active ? "ok" : "skip"}>{location.is_active ? "Active" : "Inactive"}</Badge>}
      >
        {location.bridge_id && (
          <Link href={paths.locationSync(location.bridge_id)} className={buttonClass("plain")}>
            Sync from its connection
          </Link>
        )}
        <ConfirmButton
          label="Delete"
          title={`Delete ${location.name}?`}
          yes="Delete"
          disabledReason={
            refused ??
            (location.is_default && "The default location cannot be deleted. Make another location the default first.")
          }
          run={async () => {
            await hub.call("DELETE /api/v1/locations/{id}", { path: { id: location.id } });
            showToast(`${location.name} deleted`);
            router.history.push(paths.locations());
            await queryClient.invalidateQueries({ queryKey: ["locations"], refetchType: "none" });
          }}
        >
          <p>
            A location can be deleted only while no order, shipment or pickup refers to it. Otherwise make it inactive.
          </p>
        </ConfirmButton>
      </PageHead>
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-3.5 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <Card className="px-3 py-2.5" label="Location">
          <LocationForm location={location} refused={refused} />
        </Card>
        <Card className="px-3 py-2" label="Source">
          <FactList
            facts={[
              ["Edited here", keptText(location)],
              ["Synced", <Time key="synced" at={location.last_synced_at} />],
              ["ID at the source", location.external_id ?? "Created here"],
              ["Changed", <Time key="changed" at={location.updated_at} />],
              ["ID", <CopyText key="id" text={location.id} label="Copy the ID" />],
            ]}
          />
        </Card>
      </div>
    </>
  );
}

function keptText({ bridge_id: bridgeId, locked_fields: locked }: Location): string {
  if (!bridgeId) return "All fields: created here";
  return locked.map(words).join(", ") || "No field: all follow the connection";
}

function patchOf(draft: Partial<LocationDraft>): LocationPatch {
  const { name, type, cutoff_time, timezone, is_active, is_default, ...rest } = draft;
  const address = addressOf(rest);
  return {
    ...(name === undefined ? {} : { name: name.trim() }),
    ...(type === undefined ? {} : { type }),
    ...(Object.keys(address).length === 0 ? {} : { address }),
    ...(cutoff_time === undefined ? {} : { cutoff_time: cutoff_time.trim() || null }),
    ...(timezone === undefined ? {} : { timezone: timezone.trim() || null }),
    ...(is_active === undefined ? {} : { is_active }),
    ...(is_default === undefined ? {} : { is_default }),
  };
}

function LocationForm({ location, refused }: { location: Location; refused: string | undefined }) {
  const form = useRecordForm<Location, LocationDraft>({
    kind: "locations",
    record: location,
    draftOf,
    read: readLocation,
    write: (change, { id, version }) =>
      hub.call("PATCH /api/v1/locations/{id}", { path: { id }, body: patchOf(change), ifMatch: version }),
  });
  return (
    <SaveForm
      form={form}
      names={partNames}
      textOf={(part, draft) => (part === "type" ? words(draft.type) : draft[part])}
      fields={["/name", "/type", "/address", "/cutoff_time", "/timezone"]}
      reason={refused}
    >
      <LocationFields draft={form.draft} set={form.set} errors={form.errors} />
    </SaveForm>
  );
}
