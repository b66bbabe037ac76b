import type { Shipment } from "@order-operations-hub/sdk/api-types";
import { hub } from "../../live/hub.ts";
import { SaveForm } from "../../live/save-row.tsx";
import { useCreateForm } from "../../live/use-create-form.ts";
import { useRecordForm } from "../../live/use-record-form.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { showToast } from "../../ui/toast.tsx";
import { useClock } from "../../ui/zone.tsx";
import { readShipment } from "./shipments.queries.ts";
import { statusNames } from "./shipments.text.ts";

const fields = [
  ["carrier", "Carrier", "text"],
  ["service", "Service", "text"],
  ["trackingNumber", "Tracking number", "text"],
  ["promisedDate", "Promised for", "date"],
  ["cost", "Cost", "number"],
  ["currency", "Currency", "text"],
] as const;
type Field = (typeof fields)[number][0];
type Draft = Record<Field, string>;

const draftOf = (shipment: Shipment): Draft => ({
  carrier: shipment.carrier ?? "",
  service: shipment.service ?? "",
  trackingNumber: shipment.trackingNumber ?? "",
  promisedDate: shipment.promisedDate ?? "",
  cost: shipment.cost === null ? "" : String(shipment.cost),
  currency: shipment.currency,
});

const patchOf = (change: Partial<Draft>) =>
  Object.fromEntries(
    Object.entries(change).map(([name, typed]) => {
      const value = typed.trim();
      return [name, value === "" ? null : name === "cost" ? Number(value) : value];
    }),
  );
const names = Object.fromEntries(fields.map(([name, label]) => [name, label])) as Record<Field, string>;

export function ShipmentCorrectionForm({ shipment, onDone }: { shipment: Shipment; onDone(): void }) {
  const form = useRecordForm<Shipment, Draft>({
    kind: "shipments",
    record: shipment,
    draftOf,
    read: readShipment,
    write: (change, { id, version }) =>
      hub.call("PATCH /api/v1/shipments/{id}", { path: { id }, body: patchOf(change), ifMatch: version }),
    onSaved: () => {
      showToast("Shipment saved");
      onDone();
    },
  });
  return (
    <SaveForm form={form} names={names}>
      <div className="grid gap-3 sm:grid-cols-2">
        {fields.map(([name, label, type]) => (
          <TextField
            key={name}
            type={type}
            {...(type === "number" ? { min: 0, step: "0.01" } : {})}
            label={label}
            {...form.field(name)}
          />
        ))}
      </div>
    </SaveForm>
  );
}

const eventOptions = [
  "picked_up",
  "in_transit",
  "out_for_delivery",
  "attempt_failed",
  "ready_for_pickup",
  "exception",
  "delayed",
  "delivered",
  "returned",
].map((value) => ({ value, label: statusNames[value] ?? value }));

/** For updates that did not come from the carrier's tracking, such as a phone call. */
export function TrackingEventDialog({ shipment, onClose }: { shipment: Shipment; onClose(): void }) {
  const clock = useClock();
  const form = useCreateForm({
    start: () => ({
      status: "delivered",
      at: new Date(clock.now() - new Date().getTimezoneOffset() * 60_000).toISOString().slice(0, 16),
      location: "",
      description: "",
    }),
    create: ({ status, at, location, description }) =>
      hub.call("POST /api/v1/shipments/{id}/events", {
        path: { id: shipment.id },
        body: {
          status,
          at: new Date(at).toISOString(),
          ...(location.trim() ? { location: location.trim() } : {}),
          ...(description.trim() ? { description: description.trim() } : {}),
        },
      }),
    refetch: ["shipments"],
    onCreated: () => {
      showToast("Event added");
      onClose();
    },
  });
  return (
    <FormDialog
      title="Add tracking event"
      submit="Add event"
      reason={!form.draft.at && "Enter a date and time."}
      form={form}
      onClose={onClose}
    >
      <div className="grid gap-3 sm:grid-cols-2">
        <Select label="Status" {...form.field("status")} options={eventOptions} />
        <TextField
          type="datetime-local"
          label="Date and time"
          hint="In the time zone of this browser."
          {...form.field("at")}
          required
        />
      </div>
      <TextField label="Place (optional)" {...form.field("location")} maxLength={200} />
      <TextField label="Note (optional)" {...form.field("description")} maxLength={500} />
    </FormDialog>
  );
}
