import { afterFile } from "../../after-file.ts";
import type { CarrierClient } from "../ask-stand-in.ts";
import { carrierClient } from "../ask-stand-in.ts";
import type { Answer } from "../../test-client.ts";
import type { Easypost } from "./stand-in-easypost.ts";
import { startEasypost } from "./stand-in-easypost.ts";

export const from = {
  company: "Warehouse",
  street1: "120 Dock Road",
  city: "Austin",
  state: "TX",
  zip: "78701",
  country: "US",
};
export const to = {
  name: "Ada Reed",
  street1: "14 Elm Street",
  city: "Portland",
  state: "OR",
  zip: "97201",
  country: "US",
};
export const parcel = { length: 10, width: 8, height: 4, weight: 14 };
export const basic = (key: string) => ({ authorization: `Basic ${Buffer.from(`${key}:`).toString("base64")}` });

type Rates = { rates: { id: string; carrier: string; service: string }[] };
export const rateOf = ({ rates }: Rates, name = "USPS/GroundAdvantage"): string =>
  rates.find(({ carrier, service }) => `${carrier}/${service}` === name)!.id;

/** What tests of the stand-in do most: shipments between two addresses, bought with a rate. */
export type EasypostFixture = {
  easypost: Easypost;
  call: CarrierClient;
  create(more?: object): Promise<Answer["body"]>;
  buy(shipment: Rates & { id: string }, rateName?: string): Promise<Answer>;
  bought(more?: object, rateName?: string): Promise<Answer["body"]>;
};

/** A stand-in with the production key, closed after the test file. */
export async function easypostFixture(): Promise<EasypostFixture> {
  const easypost = await startEasypost();
  afterFile(() => easypost.close());
  const call = carrierClient(easypost.url, basic(easypost.productionKey));
  const fixture: EasypostFixture = {
    easypost,
    call,
    create: async (more = {}) =>
      (await call("POST", "/v2/shipments", { shipment: { to_address: to, from_address: from, parcel, ...more } })).body,
    buy: (shipment, rateName) =>
      call("POST", `/v2/shipments/${shipment.id}/buy`, { rate: { id: rateOf(shipment, rateName) } }),
    bought: async (more, rateName) => (await fixture.buy(await fixture.create(more), rateName)).body,
  };
  return fixture;
}
