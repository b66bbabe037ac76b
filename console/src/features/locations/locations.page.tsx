import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { paths } from "../../app/paths.ts";
import { hub } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { useCreateForm } from "../../live/use-create-form.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/card.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { sentence } from "../../ui/format.ts";
import { RecordLink } from "../../ui/link.tsx";
import { ListCard, usePage } from "../../ui/list-card.tsx";
import { Menu } from "../../ui/menu.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import type { ListColumn } from "../../ui/table.tsx";
import { TabLinks } from "../../ui/tabs.tsx";
import { Time } from "../../ui/zone.tsx";
import { useEntityNames } from "../pick/entity-names.queries.ts";
import { draftOf, filledAddressOf, LocationFields } from "./location.form.tsx";
import type { Location } from "./locations.queries.ts";
import { locationsQuery } from "./locations.queries.ts";
import { addressText } from "./locations.text.ts";

const columnsWith = (bridgeName: (id: string) => string): Array<ListColumn<Location>> => [
  {
    name: "Name",
    className: "max-w-64 truncate",
    cell: (one) => (
      <>
        <RecordLink href={paths.location(one.id)} className="font-medium">
          {one.name}
        </RecordLink>{" "}
        {one.is_default && <Badge tone="info">Default</Badge>}
      </>
    ),
  },
  { name: "Type", className: "whitespace-nowrap text-muted", cell: (one) => sentence(one.type) },
  { name: "Address", className: "w-1/2 max-w-0 min-w-48 truncate", cell: (one) => addressText(one) || "–" },
  {
    name: "State",
    cell: (one) => <Badge tone={one.is_active ? "ok" : "skip"}>{one.is_active ? "Active" : "Inactive"}</Badge>,
  },
  {
    name: "Source",
    className: "max-w-44 truncate text-muted",
    cell: (one) => (one.bridge_id ? bridgeName(one.bridge_id) : "Created here"),
  },
  {
    name: "Synced",
    className: "whitespace-nowrap text-muted",
    cell: (one) => (one.last_synced_at ? <Time at={one.last_synced_at} /> : "–"),
  },
];

/** Warehouses and stores. Some are edited here, others are synced from a connection. */
export function LocationsPage() {
  const { search } = useSearchParams();
  const router = useRouter();
  const text = oneOf(search["search"]) ?? "";
  const active = oneOf(search["active"]);
  const filter = { ...(text ? { search: text } : {}), ...(active ? { is_active: active === "yes" } : {}) };
  const locations = useQuery(locationsQuery(filter, usePage()));
  const { data: bridges } = useEntityNames("bridge");
  const [isMaking, setMaking] = useState(false);
  const refused = missingScope(useMe(), "locations:write");
  const bridgeName = (id: string): string => bridges?.find((one) => one.id === id)?.name ?? "A deleted connection";
  const at = (is?: string) => ({ href: paths.locations({ search: text, active: is }), isOn: active === is });
  return (
    <>
      <PageHead title="Locations">
        <Menu
          label="Sync from a connection"
          empty="There is no connection yet."
          items={(bridges ?? []).map(({ id, name }) => ({
            label: name,
            disabledReason: refused,
            onPick: () => router.history.push(paths.locationSync(id)),
          }))}
        />
        <Button kind="primary" disabledReason={refused} onClick={() => setMaking(true)}>
          New location
        </Button>
      </PageHead>
      <TabLinks
        label="Locations by state"
        tabs={[
          { label: "All", ...at() },
          { label: "Active", ...at("yes") },
          { label: "Inactive", ...at("no") },
        ]}
      />
      <div className="mb-2.5 max-w-72">
        <SearchBox label="Search locations" />
      </div>
      <ListCard
        label="Locations"
        query={locations}
        columns={columnsWith(bridgeName)}
        idOf={(one) => one.id}
        empty={
          text || active ? (
            <Empty text="No locations match these filters." />
          ) : (
            <Empty
              icon="pin"
              title="No locations yet"
              text="Orders, pickups and shipments start at a location, such as a warehouse or a store."
            >
              <Button kind="primary" disabledReason={refused} onClick={() => setMaking(true)}>
                New location
              </Button>
            </Empty>
          )
        }
      />
      {isMaking && <NewLocation onClose={() => setMaking(false)} />}
    </>
  );
}

function NewLocation({ onClose }: { onClose(): void }) {
  const router = useRouter();
  const form = useCreateForm({
    start: () => draftOf(),
    create: (draft) =>
      hub.call("POST /api/v1/locations", {
        body: {
          name: draft.name.trim(),
          type: draft.type,
          address: filledAddressOf(draft),
          ...(draft.cutoff_time.trim() && { cutoff_time: draft.cutoff_time.trim() }),
          ...(draft.timezone.trim() && { timezone: draft.timezone.trim() }),
        },
      }),
    refetch: ["locations"],
    onCreated: (location) => router.history.push(paths.location(location.id)),
  });
  return (
    <FormDialog
      title="New location"
      submit="Create location"
      reason={!form.draft.name.trim() && "Enter a name."}
      form={{ ...form, fields: ["/name", "/type", "/address"] }}
      isWide
      onClose={onClose}
    >
      <LocationFields draft={form.draft} set={form.set} errors={form.errors} isNew />
    </FormDialog>
  );
}
