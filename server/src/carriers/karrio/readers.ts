import { asList, asObject } from "../seam/read.ts";
import type { Readers } from "../seam/testing/recorded.ts";
import { api } from "./api.ts";
import { soldIn, voidIn } from "./labels.ts";
import { confirmationIn, manifestIn } from "./pickups.ts";
import { quotesIn } from "./rates.ts";
import { reportOf } from "./tracking.ts";

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
