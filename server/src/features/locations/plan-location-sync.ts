import { isDeepStrictEqual } from "node:util";
import type { Address } from "../../core/address.ts";
import type { Location, LocationSync } from "./locations.schemas.ts";

/** A location pulled from a bridge. */
export type PulledLocation = {
  externalId: string;
  name: string;
  type: Location["type"];
  address: Address;
  isActive: boolean;
};

type LocationChange = LocationSync["changes"][number];

/** One change and the values to write. */
export type LocationWrite = { change: LocationChange; location: SyncedFields };

type SyncedFields = Pick<Location, "name" | "type" | "address" | "is_active">;

export const syncedFields = ["name", "type", "address", "is_active"] as const;

/**
 * Plans which locations of the bridge to create, update or deactivate. Pure, so that a dry run has the same plan. Locations
 * that vanished are deactivated, never deleted, and the default is kept.
 */
export function planLocationSync(
  known: Location[],
  pulled: PulledLocation[],
  takenNames: Set<string>,
): LocationWrite[] {
  const byExternalId = new Map(known.map((location) => [location.external_id, location]));
  const seen = new Map(pulled.map((record) => [record.externalId, record]));
  const names = new Set([...takenNames].map((name) => name.toLowerCase()));
  const writes: LocationWrite[] = [];
  for (const record of seen.values()) {
    const location = byExternalId.get(record.externalId);
    writes.push(location ? updateOf(location, record, names) : creationOf(record, names));
  }
  for (const location of known) {
    if (seen.has(location.external_id ?? "") || !location.is_active) continue;
    writes.push(deactivationOf(location));
  }
  return writes;
}

function deactivationOf(location: Location): LocationWrite {
  // The default cannot be inactive; another default must be chosen first.
  const isKept = location.locked_fields.includes("is_active") || location.is_default;
  return {
    location: { ...location, is_active: isKept },
    change: {
      action: isKept ? "unchanged" : "deactivated",
      external_id: location.external_id ?? "",
      location_id: location.id,
      name: location.name,
      changes: isKept ? [] : [{ path: "/is_active", from: true, to: false }],
      kept_local: isKept ? ["is_active"] : [],
    },
  };
}

function creationOf(record: PulledLocation, names: Set<string>): LocationWrite {
  const name = freeName(record, names);
  names.add(name.toLowerCase());
  return {
    location: { ...fieldsOf(record), name },
    change: { action: "created", external_id: record.externalId, location_id: null, name, changes: [], kept_local: [] },
  };
}

function updateOf(location: Location, record: PulledLocation, names: Set<string>): LocationWrite {
  const wanted = fieldsOf(record);
  const next: SyncedFields = { ...location };
  const changes: LocationChange["changes"] = [];
  const kept: string[] = [];
  for (const field of syncedFields) {
    if (isDeepStrictEqual(location[field], wanted[field])) continue;
    const isTaken = field === "name" && names.has(wanted.name.toLowerCase()) && !isSameName(location, wanted);
    const isNeeded = field === "is_active" && location.is_default;
    if (location.locked_fields.includes(field) || isTaken || isNeeded) {
      kept.push(field);
      continue;
    }
    Object.assign(next, { [field]: wanted[field] });
    changes.push({ path: `/${field}`, from: location[field], to: wanted[field] });
  }
  if (changes.some(({ path }) => path === "/name")) names.add(next.name.toLowerCase());
  return {
    location: next,
    change: {
      action: changes.length > 0 ? "updated" : "unchanged",
      external_id: record.externalId,
      location_id: location.id,
      name: next.name,
      changes,
      kept_local: kept,
    },
  };
}

function fieldsOf({ name, type, address, isActive }: PulledLocation): SyncedFields {
  return { name, type, address, is_active: isActive };
}

const isSameName = (one: { name: string }, other: { name: string }): boolean =>
  one.name.toLowerCase() === other.name.toLowerCase();

/** Names are unique in the hub, but not necessarily in the bridge. */
function freeName({ name, externalId }: PulledLocation, taken: ReadonlySet<string>): string {
  let free = name;
  for (let count = 1; taken.has(free.toLowerCase()); count++) {
    const suffix = ` (${externalId.slice(-40).toWellFormed()}${count === 1 ? "" : `, ${count}`})`;
    free = `${name
      .slice(0, 100 - suffix.length)
      .toWellFormed()
      .trimEnd()}${suffix}`;
  }
  return free;
}

type Suggestion = LocationSync["suggestions"][number];

const maxSuggestions = 20;

/** Pairs of active locations that are probably the same. Nothing is merged. */
export function suggestDuplicates(locations: Location[]): Suggestion[] {
  const suggestions = new Map<string, Suggestion>();
  const groups = new Map<string, Location[]>();
  for (const location of locations) {
    if (!location.is_active) continue;
    const { address1, zip, countryCode } = location.address;
    const keys = [
      address1 && zip ? `address ${plain(address1)} ${plain(zip).slice(0, 5)} ${plain(countryCode ?? "")}` : undefined,
      `name ${plain(location.name)}`,
    ];
    for (const key of keys) if (key) groups.getOrInsert(key, []).push(location);
  }
  for (const [key, [first, ...others]] of groups) {
    for (const other of others) {
      const ids = [first!.id, other.id];
      const known = suggestions.get(ids.join());
      const isAddress = key.startsWith("address");
      const [reason, score] = [isAddress ? "same address" : "same name", isAddress ? 0.9 : 0.6];
      if (known) Object.assign(known, { score: 0.99, reasons: [...known.reasons, reason] });
      else suggestions.set(ids.join(), { kind: "possible_duplicate", location_ids: ids, score, reasons: [reason] });
    }
  }
  return [...suggestions.values()].toSorted((a, b) => b.score - a.score).slice(0, maxSuggestions);
}

const plain = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "");
