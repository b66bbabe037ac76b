import { asList, asObject } from "../seam/read.ts";
import type { Readers } from "../seam/testing/recorded.ts";
import { api } from "./karrio-api.ts";
import { soldIn, voidIn } from "./karrio-labels.ts";
import { confirmationIn, manifestIn } from "./karrio-pickups.ts";
import { quotesIn } from "./karrio-rates.ts";
import { reportOf } from "./karrio-tracking.ts";

/** The readers of this adapter by kind of response, for scripts/hold-carrier.ts. */
export const readers: Readers = {
  rate: ({ body }) => quotesIn(asObject(body)),
  buy: ({ body }) => soldIn(asObject(body)),
  void: ({ body }) => voidIn(asObject(body)),
  track: ({ body }) => asList(body).map(reportOf),
  pickup: ({ body }) => confirmationIn(asObject(body)),
  manifest: ({ body }) => manifestIn(asObject(body)),
  error: ({ body }) => api.reasonIn(body),
};
