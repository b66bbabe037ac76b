import { afterFile } from "../../after-file.ts";
import type { Answer } from "../../test-client.ts";
import type { CarrierClient } from "../ask-stand-in.ts";
import { carrierClient } from "../ask-stand-in.ts";
import type { Karrio } from "./stand-in-karrio.ts";
import { startKarrio } from "./stand-in-karrio.ts";

export const shipper = {
  company_name: "Warehouse",
  address_line1: "120 Dock Road",
  city: "Austin",
  state_code: "TX",
  postal_code: "78701",
  country_code: "US",
};
const recipient = {
  person_name: "Ada Reed",
  address_line1: "14 Elm Street",
  city: "Portland",
  state_code: "OR",
  postal_code: "97201",
  country_code: "US",
};
export const parcels = [{ weight: 14, weight_unit: "OZ" as const }];
export const given = { shipper, recipient, parcels };

/** What tests of the stand-in do most: drafts between two addresses, purchased with their first rate. */
export type KarrioFixture = {
  karrio: Karrio;
  call: CarrierClient;
  draft(more?: object): Promise<Answer["body"]>;
  buy(shipment: { id: string; rates: { id: string }[] }, more?: object): Promise<Answer>;
  bought(more?: object): Promise<Answer["body"]>;
};

/** A stand-in, closed after the test file. */
export async function karrioFixture(): Promise<KarrioFixture> {
  const karrio = await startKarrio();
  afterFile(() => karrio.close());
  const call = carrierClient(karrio.url, { authorization: `Token ${karrio.apiKey}` });
  const fixture: KarrioFixture = {
    karrio,
    call,
    draft: async (more = {}) => (await call("POST", "/v1/shipments", { ...given, ...more })).body,
    buy: (shipment, more = {}) =>
      call("POST", `/v1/shipments/${shipment.id}/purchase`, { selected_rate_id: shipment.rates[0]!.id, ...more }),
    bought: async (more) => (await fixture.buy(await fixture.draft(more))).body,
  };
  return fixture;
}
