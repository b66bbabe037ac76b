import type { Carrier } from "./carrier.ts";
import { demoCarrier } from "./demo/demo-carrier.ts";
import { rateCardCarrier } from "./rate-card/rate-card-carrier.ts";

/** Every carrier there is. A new one is a folder and a line here. */
export const carriers: readonly Carrier[] = [rateCardCarrier, demoCarrier];

export const carrierNames = carriers.map(({ name }) => name);

export function findCarrier(name: string): Carrier | undefined {
  return carriers.find((carrier) => carrier.name === name);
}
