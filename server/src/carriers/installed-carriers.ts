import type { Carrier } from "./seam/carrier.ts";
import { demoCarrier } from "./demo/demo-carrier.ts";
import { rateCardCarrier } from "./rate-card/rate-card-carrier.ts";

/** All carriers. To add one, create its folder and add it here. */
export const carriers: readonly Carrier[] = [rateCardCarrier, demoCarrier];

export const carrierNames = carriers.map(({ name }) => name);

export function findCarrier(name: string): Carrier | undefined {
  return carriers.find((carrier) => carrier.name === name);
}
