import type { Shipment } from "@order-operations-hub/sdk/api-types";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { hub, queryClient } from "../../live/hub.ts";
import { Button } from "../../ui/button.tsx";
import { ConflictBox, isConflict } from "../../ui/conflict-box.tsx";
import { fieldErrors, isAllOnFields } from "../../ui/field-errors.ts";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { tell } from "../../ui/toast.tsx";
import { useClock } from "../../ui/zone.tsx";
import { shipmentQuery } from "./shipments.queries.ts";

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

/** Only what was changed is sent, for the version that was on screen. */
function patchOf(draft: Draft, before: Draft) {
  const changed = fields.map(([name]) => name).filter((name) => draft[name].trim() !== before[name]);
  return Object.fromEntries(
    changed.map((name) => {
      const value = draft[name].trim();
      return [name, value === "" ? null : name === "cost" ? Number(value) : value];
    }),
  );
}

export function ShipmentCorrectionForm({ shipment, onDone }: { shipment: Shipment; onDone(): void }) {
  // What stood there when somebody began to type; what comes in meanwhile is not typed over silently.
  const [base, setBase] = useState(shipment);
  const [draft, setDraft] = useState(() => draftOf(shipment));
  const [theirs, setTheirs] = useState<Shipment>();
  const before = draftOf(base);
  const patch = patchOf(draft, before);
  const save = useMutation({
    mutationFn: (version: number) =>
      hub.call("PATCH /api/v1/shipments/{id}", { path: { id: shipment.id }, body: patch, ifMatch: version }),
    onSuccess: async (saved) => {
      queryClient.setQueryData(["shipments", "one", shipment.id], saved);
      await queryClient.invalidateQueries({ queryKey: ["shipments"] });
      tell("Shipment corrected");
      onDone();
    },
    onError: async (error) => {
      if (isConflict(error)) setTheirs(await queryClient.fetchQuery({ ...shipmentQuery(shipment.id), staleTime: 0 }));
    },
  });
  const wrong = fieldErrors(save.error);
  const isShown = isAllOnFields(
    save.error,
    fields.map(([name]) => `/${name}`),
  );
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (Object.keys(patch).length > 0) save.mutate(base.version);
      }}
    >
      <div className="grid gap-3 sm:grid-cols-2">
        {fields.map(([name, label, type]) => (
          <TextField
            key={name}
            type={type}
            {...(type === "number" ? { min: 0, step: "0.01" } : {})}
            label={label}
            value={draft[name]}
            error={wrong.get(`/${name}`)}
            onChange={(value) => setDraft({ ...draft, [name]: value })}
          />
        ))}
      </div>
      {theirs && isConflict(save.error) && (
        <ConflictBox
          fields={fields.map(([name, label]) => ({ name: label, mine: draft[name], theirs: draftOf(theirs)[name] }))}
          isBusy={save.isPending}
          onTakeTheirs={() => {
            setBase(theirs);
            setDraft(draftOf(theirs));
            save.reset();
          }}
          onKeepMine={() => {
            setBase(theirs);
            save.mutate(theirs.version);
          }}
        />
      )}
      {save.error && !isConflict(save.error) && !isShown && <ProblemBox error={save.error} />}
      <div className="flex justify-end gap-2">
        <Button
          kind="primary"
          type="submit"
          isBusy={save.isPending}
          disabledReason={Object.keys(patch).length === 0 && "Nothing is changed yet."}
        >
          Save
        </Button>
      </div>
    </form>
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
].map((value) => ({ value, label: value.replaceAll("_", " ") }));

/** What somebody was told by telephone. */
export function EventForm({ shipment, onDone }: { shipment: Shipment; onDone(): void }) {
  const clock = useClock();
  const [status, setStatus] = useState("delivered");
  const [at, setAt] = useState(() =>
    new Date(clock.now() - new Date().getTimezoneOffset() * 60_000).toISOString().slice(0, 16),
  );
  const [location, setLocation] = useState("");
  const [description, setDescription] = useState("");
  const add = useMutation({
    mutationFn: () =>
      hub.call("POST /api/v1/shipments/{id}/events", {
        path: { id: shipment.id },
        body: {
          status,
          at: new Date(at).toISOString(),
          ...(location.trim() ? { location: location.trim() } : {}),
          ...(description.trim() ? { description: description.trim() } : {}),
        },
      }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ["shipments"] });
      tell("Event added");
      onDone();
    },
  });
  const wrong = fieldErrors(add.error);
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (at) add.mutate();
      }}
    >
      <div className="grid gap-3 sm:grid-cols-2">
        <Select
          label="What happened"
          value={status}
          options={eventOptions}
          error={wrong.get("/status")}
          onChange={setStatus}
        />
        <TextField
          type="datetime-local"
          label="When"
          hint="As the clock of this browser shows it."
          value={at}
          error={wrong.get("/at")}
          onChange={setAt}
          required
        />
      </div>
      <TextField label="Where (optional)" value={location} maxLength={200} onChange={setLocation} />
      <TextField label="Note (optional)" value={description} maxLength={500} onChange={setDescription} />
      {add.error && !isAllOnFields(add.error, ["/status", "/at"]) && <ProblemBox error={add.error} />}
      <div className="flex justify-end">
        <Button kind="primary" type="submit" isBusy={add.isPending} disabledReason={!at && "Say when."}>
          Add
        </Button>
      </div>
    </form>
  );
}
