import type { ErrorCode } from "./errors.ts";
import { HubError } from "./errors.ts";

type KindIn<Code> = Code extends `${infer Kind}_not_found` ? Kind : never;

/** The things an id can point at: each has the 404 that an unknown one (or another organization's) answers. */
export type ResourceKind = Exclude<
  KindIn<ErrorCode>,
  "route" | "zone_chart" | "tracking_event" | "definition" | "parcel"
>;

export function notFound(kind: ResourceKind): HubError {
  return new HubError(`${kind}_not_found`);
}

/** What was looked for, if it was found. */
export function orNotFound<T>(kind: ResourceKind, found: T | undefined): T {
  if (found === undefined) throw notFound(kind);
  return found;
}
