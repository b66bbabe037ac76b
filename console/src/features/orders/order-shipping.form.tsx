import type { Order } from "@order-operations-hub/sdk/api-types";
import { sentence } from "../../ui/format.ts";
import { InstantField } from "../../ui/instant-field.tsx";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useEntityNames } from "../pick/entity-names.queries.ts";
import { EditInPlace } from "./edit-card.tsx";
import { ServiceFields } from "./order-service.form.tsx";
import type { OrderPatch } from "./orders.queries.ts";

type Draft = {
  locationId: string;
  carrierAccountId: string;
  carrier: string;
  service: string;
  shipBy: string;
  deliverBy: string;
  assigneeId: string;
  priority: Order["priority"];
  weight: string;
  weightUnit: string;
  length: string;
  width: string;
  height: string;
  sizeUnit: string;
};

function draftOf({ locationId, shipping, shipBy, deliverBy, assigneeId, priority, packages }: Order): Draft {
  const { weight, dimensions: size } = packages[0] ?? {};
  return {
    locationId: locationId ?? "",
    carrierAccountId: shipping.carrierAccountId ?? "",
    carrier: shipping.carrier ?? "",
    service: shipping.service ?? "",
    shipBy: shipBy ?? "",
    deliverBy: deliverBy ?? "",
    assigneeId: assigneeId ?? "",
    priority,
    weight: weight ? String(weight.value) : "",
    weightUnit: weight?.unit ?? "lb",
    length: size ? String(size.length) : "",
    width: size ? String(size.width) : "",
    height: size ? String(size.height) : "",
    sizeUnit: size?.unit ?? "in",
  };
}

const packageParts = ["weight", "weightUnit", "length", "width", "height", "sizeUnit"] as const;

function patchOf(change: Partial<Draft>, draft: Draft, base: Order): OrderPatch {
  const patch: Record<string, unknown> = {};
  for (const part of ["locationId", "shipBy", "deliverBy", "assigneeId"] as const) {
    if (change[part] !== undefined) patch[part] = change[part].trim() || null;
  }
  if (change.priority !== undefined) patch["priority"] = change.priority;
  const shipping = (["carrierAccountId", "carrier", "service"] as const).filter((part) => change[part] !== undefined);
  if (shipping.length > 0)
    patch["shipping"] = Object.fromEntries(shipping.map((part) => [part, change[part]!.trim() || null]));
  if (packageParts.some((part) => change[part] !== undefined)) {
    const { weight, weightUnit, length, width, height, sizeUnit } = draft;
    const hasSize = [length, width, height].some((text) => text.trim());
    const first = {
      ...(weight.trim() ? { weight: { value: Number(weight), unit: weightUnit } } : {}),
      ...(hasSize
        ? { dimensions: { length: Number(length), width: Number(width), height: Number(height), unit: sizeUnit } }
        : {}),
      count: base.packages[0]?.count ?? 1,
    };
    patch["packages"] = [first, ...base.packages.slice(1)];
  }
  return patch;
}

const options = (values: readonly string[]) => values.map((value) => ({ value, label: sentence(value) }));
const units = (values: readonly string[]) => values.map((value) => ({ value, label: value }));

export function EditShipping({ order, onDone }: { order: Order; onDone(): void }) {
  const { data: locations = [] } = useEntityNames("location");
  const { data: users = [] } = useEntityNames("user");
  const named = (names: typeof locations) => [
    { value: "", label: "Not set" },
    ...names.map(({ id, name }) => ({ value: id, label: name })),
  ];
  return (
    <EditInPlace<Draft>
      order={order}
      draftOf={draftOf}
      patchOf={patchOf}
      names={names}
      fields={Object.values(pointers)}
      onDone={onDone}
    >
      {({ field, draft, set }) => (
        <div className="grid grid-cols-2 gap-2">
          <div className="col-span-2">
            <Select label="Ship from" options={named(locations)} {...field("locationId")} />
          </div>
          <ServiceFields
            draft={draft}
            set={set}
            errors={{
              carrierAccountId: field("carrierAccountId", pointers.carrierAccountId).error,
              carrier: field("carrier", pointers.carrier).error,
              service: field("service", pointers.service).error,
            }}
          />
          <InstantField label="Ship by" kind="date-time" timeOfDay="23:59" {...field("shipBy")} />
          <InstantField label="Deliver by" kind="date-time" timeOfDay="23:59" {...field("deliverBy")} />
          <Select label="Assigned to" options={named(users)} {...field("assigneeId")} />
          <Select
            label="Priority"
            options={options(["low", "normal", "high", "urgent"])}
            value={draft.priority}
            onChange={(priority) => set({ priority })}
          />
          <TextField label="Weight" inputMode="decimal" {...field("weight", pointers.weight)} />
          <Select label="Weight unit" options={units(["lb", "oz", "kg", "g"])} {...field("weightUnit")} />
          <div className="col-span-2 grid grid-cols-4 gap-2">
            <TextField label="Length" inputMode="decimal" {...field("length", pointers.length)} />
            <TextField label="Width" inputMode="decimal" {...field("width", pointers.width)} />
            <TextField label="Height" inputMode="decimal" {...field("height", pointers.height)} />
            <Select label="Unit" options={units(["in", "cm"])} {...field("sizeUnit")} />
          </div>
        </div>
      )}
    </EditInPlace>
  );
}

const names: { [Part in keyof Draft]: string } = {
  locationId: "Ship from",
  carrierAccountId: "Carrier account",
  carrier: "Carrier",
  service: "Service",
  shipBy: "Ship by",
  deliverBy: "Deliver by",
  assigneeId: "Assigned to",
  priority: "Priority",
  weight: "Weight",
  weightUnit: "Weight unit",
  length: "Length",
  width: "Width",
  height: "Height",
  sizeUnit: "Unit of the size",
};

const pointers = {
  locationId: "/locationId",
  carrierAccountId: "/shipping/carrierAccountId",
  carrier: "/shipping/carrier",
  service: "/shipping/service",
  shipBy: "/shipBy",
  deliverBy: "/deliverBy",
  assigneeId: "/assigneeId",
  weight: "/packages/0/weight/value",
  length: "/packages/0/dimensions/length",
  width: "/packages/0/dimensions/width",
  height: "/packages/0/dimensions/height",
};
