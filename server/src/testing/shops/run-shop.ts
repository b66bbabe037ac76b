import { afterFile } from "../after-file.ts";
import type { CarrierApi, StandIn } from "../carriers/stand-in-api.ts";
import { startStandIn } from "../carriers/stand-in-api.ts";

/** Serves the API of a shop on loopback until the end of the test file, with the faults and the journal of stand-ins. */
export async function runShop(api: CarrierApi): Promise<StandIn> {
  const standIn = await startStandIn(api);
  afterFile(() => standIn.close());
  return standIn;
}

/** Bearer token of a request. */
export function bearerOf(authorization: string | undefined): string | undefined {
  return /^Bearer (.+)$/.exec(authorization ?? "")?.[1];
}
