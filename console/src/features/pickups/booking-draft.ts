import type { Pickup, PickupRequest } from "@order-operations-hub/sdk/api-types";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { hub, queryClient } from "../../live/hub.ts";
import { clockOf, formatDay } from "../../ui/calendar.ts";
import { fieldErrors } from "../../ui/field-errors.ts";
import { showToast } from "../../ui/toast.tsx";
import { useDebounced } from "../../ui/use-debounced.ts";
import { checkQuery, pickupAccountsQuery, pickupLocationsQuery, slotsQuery } from "./pickups.queries.ts";
import { windowText } from "./pickups.text.ts";

export type Draft = {
  accountId: string;
  locationId: string;
  date: string;
  ready: string;
  close: string;
  packages: string;
  weight: string;
  unit: string;
  instructions: string;
};
type Unit = "lb" | "kg" | "oz" | "g";
function startOf(date: string | undefined, locationId: string | undefined, moving: Pickup | undefined): Draft {
  return {
    accountId: moving?.carrierAccountId ?? "",
    locationId: moving?.locationId ?? locationId ?? "",
    date: moving?.window.date ?? date ?? "",
    ready: moving ? clockOf(moving.readyTime) : "",
    close: moving ? clockOf(moving.closeTime) : "",
    packages: moving ? String(moving.packageCount) : "",
    weight: moving?.totalWeight ? String(moving.totalWeight.value) : "",
    unit: moving?.totalWeight?.unit ?? "lb",
    instructions: moving?.instructions ?? "",
  };
}

function slotRequestOf(draft: Draft, moving: Pickup | undefined) {
  if (!draft.accountId || !draft.locationId) return undefined;
  return {
    carrierAccountId: draft.accountId,
    locationId: draft.locationId,
    ...(draft.ready ? { readyTime: draft.ready } : {}),
    ...(draft.close ? { closeTime: draft.close } : {}),
    ...(moving ? { excludePickupId: moving.id } : {}),
  };
}

/** The pickup request. Until the number of packages is entered, availability is checked for one. */
function requestOf(draft: Draft, moving: Pickup | undefined): PickupRequest | undefined {
  const { accountId, locationId, date, ready, close, weight, packages } = draft;
  if (!accountId || !date || (!locationId && !moving)) return undefined;
  const isMovedByHand = moving && !locationId;
  return {
    carrierAccountId: accountId,
    ...(isMovedByHand ? { pickupAddress: moving.pickupAddress, timezone: moving.timezone } : { locationId }),
    pickupDate: date,
    ...(ready ? { readyTime: ready } : {}),
    ...(close ? { closeTime: close } : {}),
    packageCount: Math.max(1, Math.round(Number(packages) || 1)),
    ...(weight ? { totalWeight: { value: Number(weight), unit: draft.unit as Unit } } : {}),
    ...(draft.instructions.trim() ? { instructions: draft.instructions.trim() } : {}),
  };
}

type Given = {
  date?: string | undefined;
  locationId?: string | undefined;
  moving?: Pickup | undefined;
  onDone(pickup: Pickup): void;
};

/** Form state of a pickup: values, availability check and booking. */
export function useBooking({ date, locationId, moving, onDone }: Given) {
  const accounts = useQuery(pickupAccountsQuery);
  const locations = useQuery(pickupLocationsQuery);
  const [typed, setTyped] = useState(() => startOf(date, locationId, moving));
  const save = useMutation({
    mutationFn: (asked: Draft) => book(asked, moving),
    onSuccess: async (pickup) => {
      await queryClient.invalidateQueries({ queryKey: ["pickups"] });
      announce(pickup, moving !== undefined);
      onDone(pickup);
    },
  });
  const set = (change: Partial<Draft>): void => {
    setTyped((before) => ({ ...before, ...change }));
    // The errors are those of the values before.
    if (save.error) save.reset();
  };
  // Defaults: the first account and location.
  const draft = {
    ...typed,
    accountId: typed.accountId || (accounts.data?.[0]?.id ?? ""),
    locationId: typed.locationId || (moving ? "" : (locations.data?.[0]?.id ?? "")),
  };
  const settled = useDebounced(draft);
  const days = useQuery(slotsQuery(slotRequestOf(settled, moving)));
  // A day picked in the week starts with the carrier's window of that day.
  const own = days.data?.data.find((day) => day.date === draft.date)?.window;
  if (own && draft.date && !draft.ready && !draft.close) {
    set({ ready: clockOf(own.readyTime), close: clockOf(own.closeTime) });
  }
  const check = useQuery(checkQuery(requestOf(settled, moving), moving?.id));
  const isChecked = JSON.stringify(settled) === JSON.stringify(draft) && !check.isFetching && !check.isPlaceholderData;
  const checkErrors = isChecked ? (check.data?.errors ?? []) : [];
  const wrong = new Map([
    ...fieldErrors(check.error),
    ...checkErrors.map(({ pointer, message }): [string, string] => [pointer, message]),
    ...fieldErrors(save.error),
  ]);
  const checked = isChecked ? check.data : undefined;
  return { accounts, locations, draft, set, days, check, checked, isChecked, save, wrong };
}
export type Booking = ReturnType<typeof useBooking>;

function book(draft: Draft, moving: Pickup | undefined): Promise<Pickup> {
  const { carrierAccountId, locationId, pickupAddress, ...request } = requestOf(draft, moving)!;
  if (!moving) {
    const where = locationId ? { locationId } : pickupAddress ? { pickupAddress } : {};
    return hub.call("POST /api/v1/pickups", { body: { carrierAccountId, ...where, ...request } });
  }
  return hub.call("PATCH /api/v1/pickups/{id}", {
    path: { id: moving.id },
    ifMatch: moving.version,
    body: { ...request, totalWeight: request.totalWeight ?? null, instructions: request.instructions ?? null },
  });
}

function announce(pickup: Pickup, isMoved: boolean): void {
  const when = `${formatDay(pickup.window.date)}, ${windowText(pickup)}`;
  if (pickup.status === "requested") {
    showToast(`Asked for ${when}`, { tone: "warn", text: "The carrier has not answered yet; the hub asks again." });
    return;
  }
  const { confirmationNumber } = pickup;
  showToast(
    isMoved ? `Moved to ${when}` : `Booked for ${when}`,
    confirmationNumber ? { text: `Confirmation ${confirmationNumber}` } : {},
  );
}
