import { carrierPlugins } from "./carrier-plugins.ts";
import { demoCarrier } from "./demo/demo-carrier.ts";
import { easypost } from "./easypost/easypost.ts";
import { fedex } from "./fedex/fedex.ts";
import { karrio } from "./karrio/karrio.ts";
import { rateCardCarrier } from "./rate-card/rate-card-carrier.ts";
import type { Carrier } from "./seam/carrier.ts";
import { shipengine } from "./shipengine/shipengine.ts";
import { ups } from "./ups/ups.ts";
import { usps } from "./usps/usps.ts";

/** All carriers. To add one, create its folder and add it here. */
export const carriers: readonly Carrier[] = [
  rateCardCarrier,
  easypost,
  shipengine,
  karrio,
  ups,
  fedex,
  usps,
  demoCarrier,
  ...carrierPlugins.parts(),
];

export const carrierNames = carriers.map(({ name }) => name);

export function findCarrier(name: string): Carrier | undefined {
  return carriers.find((carrier) => carrier.name === name);
}
