import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import type { StandInOptions, StandInWithAccount } from "./carriers/stand-in-accounts.ts";
import { startWithAccount } from "./carriers/stand-in-accounts.ts";
import type { TestHub, TestOrg } from "./test-hub.ts";
import { afterFile } from "./after-file.ts";

export type CarrierName = keyof typeof startWithAccount;

/** Two services of one driver at each carrier, and one that another driver collects, where there is one. */
export const handoverServices: Record<
  CarrierName,
  { together: [string, string]; apart?: { service: string; groups: [string, string] } }
> = {
  easypost: {
    together: ["USPS/GroundAdvantage", "USPS/Priority"],
    apart: { service: "UPS/Ground", groups: ["UPS", "USPS"] },
  },
  shipengine: {
    together: ["usps_priority_mail", "usps_priority_mail"],
    apart: { service: "ups_ground", groups: ["stamps_com", "ups"] },
  },
  karrio: {
    together: ["usps_ground_advantage", "usps_priority_mail"],
    apart: { service: "ups_ground", groups: ["ups", "usps"] },
  },
  ups: { together: ["03", "02"] },
  fedex: {
    together: ["FEDEX_GROUND", "FEDEX_GROUND"],
    apart: { service: "PRIORITY_OVERNIGHT", groups: ["Express", "Ground"] },
  },
  usps: { together: ["USPS_GROUND_ADVANTAGE", "PRIORITY_MAIL"] },
};

export const dock = {
  name: "Bea Dock",
  company: "Byron Mugs",
  address1: "1 Port Street",
  city: "Newark",
  provinceCode: "NJ",
  zip: "07114",
  countryCode: "US",
  phone: "9735550100",
  email: "dock@example.com",
};
const home = {
  name: "Ada Byron",
  address1: "12 Analytical Way",
  city: "Albany",
  provinceCode: "NY",
  zip: "12207",
  countryCode: "US",
  phone: "5185550100",
  email: "ada@example.com",
};

/** A carrier behind its stand-in, with an account, a location and labels; both sides follow the clock of the hub. */
export async function handoverCarrier(hub: TestHub, org: TestOrg, name: CarrierName) {
  const options: StandInOptions = { now: () => hub.world.clock.now() };
  const { standIn, account }: StandInWithAccount = await startWithAccount[name](options);
  afterFile(() => standIn.close());
  const made = await org.post("/carrier-accounts", { ...account, name: `${name} ${randomUUID()}` });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  const location = await org.post("/locations", { name: `Dock ${randomUUID()}`, type: "warehouse", address: dock });
  expect(location.status, JSON.stringify(location.body)).toBe(201);
  const carrierAccountId: string = made.body.id;
  return {
    standIn,
    carrierAccountId,
    locationId: location.body.id as string,
    /** Requests of one operation that reached the carrier. */
    asked: (operation: string) => standIn.requests.filter((request) => request.operation === operation),
    async buy(service: string, shipDate: string): Promise<{ id: string; trackingNumber: string }> {
      const parcel = { weight: { value: 2, unit: "lb" }, dimensions: { length: 10, width: 8, height: 4, unit: "in" } };
      const request = { carrierAccountId, service, shipDate, from: dock, to: home, ...parcel };
      const { status, body } = await org.post("/shipments/labels", request);
      expect(status, JSON.stringify(body)).toBe(201);
      return body.label;
    },
  };
}
