import { asObject } from "../seam/read.ts";
import type { Readers } from "../seam/testing/recorded.ts";
import { addressCheckOf } from "./address.ts";
import { api } from "./api.ts";
import { soldIn } from "./labels.ts";
import { manifestIn } from "./manifests.ts";
import { confirmationIn } from "./pickups.ts";
import { quotesIn } from "./rates.ts";
import { reportIn } from "./tracking.ts";
import { voidIn } from "./voids.ts";

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
