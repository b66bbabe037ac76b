import { asObject } from "../seam/read.ts";
import type { Readers } from "../seam/testing/recorded.ts";
import { addressCheckOf } from "./shipengine-address.ts";
import { api } from "./shipengine-api.ts";
import { soldIn } from "./shipengine-labels.ts";
import { manifestIn } from "./shipengine-manifests.ts";
import { confirmationIn } from "./shipengine-pickups.ts";
import { quotesIn } from "./shipengine-rates.ts";
import { reportIn } from "./shipengine-tracking.ts";
import { voidIn } from "./shipengine-voids.ts";

/** The readers of this adapter by kind of response, for scripts/hold-carrier.ts. */
export const readers: Readers = {
  rate: ({ body }) => quotesIn(asObject(body)),
  buy: ({ body }) => soldIn(asObject(body)),
  void: ({ body }) => voidIn(asObject(body)),
  track: ({ body }) => reportIn(asObject(body)),
  pickup: ({ body }) => confirmationIn(asObject(body)),
  address: ({ body }) => addressCheckOf({}, body),
  manifest: ({ body }) => manifestIn(asObject(body)),
  error: ({ body }) => api.reasonIn(body),
};

const kinds: [pattern: RegExp, kind: string][] = [
  [/^POST \/v1\/rates$/, "rate"],
  [/^POST \/v1\/labels(\/rate.*)?$/, "buy"],
  [/^PUT \/v1\/labels\/.*\/void$/, "void"],
  [/^GET \/v1\/(labels\/.*\/track|tracking.*)$/, "track"],
  [/^POST \/v1\/addresses\/validate$/, "address"],
];

export function kindOf(name: string): string | undefined {
  return kinds.find(([pattern]) => pattern.test(name))?.[1];
}
