import { afterFile } from "../../after-file.ts";
import type { Answer } from "../../test-client.ts";
import type { CarrierClient } from "../ask-stand-in.ts";
import { carrierClient } from "../ask-stand-in.ts";
import type { Shipengine } from "./stand-in-shipengine.ts";
import { startShipengine } from "./stand-in-shipengine.ts";

export const to = {
  name: "Ada Reed",
  address_line1: "14 Elm Street",
  city_locality: "Portland",
  state_province: "OR",
  postal_code: "97201",
  country_code: "US",
};
export const from = { ...to, name: "Dock", phone: "5125550100", address_line1: "120 Dock Road", postal_code: "78701" };
export const packages = [{ weight: { value: 14, unit: "ounce" as const } }];
export const shipment = { ship_to: to, ship_from: from, packages };

/** What tests of the stand-in do most: labels between two addresses, bought in one request. */
export type ShipengineFixture = {
  shipengine: Shipengine;
  call: CarrierClient;
  buy(more?: object, options?: object): Promise<Answer>;
  bought(more?: object, options?: object): Promise<Answer["body"]>;
};

/** A stand-in, closed after the test file. */
export async function shipengineFixture(): Promise<ShipengineFixture> {
  const shipengine = await startShipengine();
  afterFile(() => shipengine.close());
  const call = carrierClient(shipengine.url, { "api-key": shipengine.apiKey });
  const ground = { ...shipment, carrier_id: shipengine.carrierIds.stampsCom, service_code: "usps_ground_advantage" };
  const buy: ShipengineFixture["buy"] = (more = {}, options = {}) =>
    call("POST", "/v1/labels", { ...options, shipment: { ...ground, ...more } });
  return { shipengine, call, buy, bought: async (more, options) => (await buy(more, options)).body };
}
