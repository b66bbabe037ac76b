import { describe, expect, test } from "vitest";
import { statusOf as easypost } from "../easypost/easypost-tracking.ts";
import { fedexStatus } from "../fedex/fedex-tracking.ts";
import { statusOf as karrio } from "../karrio/karrio-tracking.ts";
import { statusOf as shipengine } from "../shipengine/shipengine-tracking.ts";
import { upsStatus } from "../ups/ups-tracking.ts";
import { uspsStatus } from "../usps/usps-tracking.ts";

/** What each status of a carrier is in the hub: "STATUS DETAIL expected", one per line. */
type Table = { read(status: string, detail: string | undefined): string; rows: string };

const tables: Record<string, Table> = {
  easypost: {
    read: easypost,
    rows: `
      pre_transit - pre_transit
      in_transit - in_transit
      in_transit arrived_at_facility in_transit
      in_transit departed_facility in_transit
      in_transit picked_up picked_up
      in_transit delayed delayed
      in_transit held on_hold
      in_transit address_correction exception
      out_for_delivery - out_for_delivery
      available_for_pickup - ready_for_pickup
      return_to_sender - returned
      failure - delivery_failed
      cancelled - cancelled
      delivered - delivered
      delivered delayed delivered
      error - exception
      unknown - unknown`,
  },
  shipengine: {
    read: shipengine,
    rows: `
      UN - unknown
      AC - pre_transit
      NY - pre_transit
      IT - in_transit
      IT OUT_FOR_DELIVERY out_for_delivery
      IT HELD_BY_CUSTOMS on_hold
      DE - delivered
      EX - exception
      EX RETURN_TO_SENDER returned
      AT - delivery_failed
      SP - ready_for_pickup`,
  },
  karrio: {
    read: karrio,
    rows: `
      pending - pre_transit
      picked_up - picked_up
      in_transit - in_transit
      out_for_delivery - out_for_delivery
      ready_for_pickup - ready_for_pickup
      delivered - delivered
      delivery_failed - delivery_failed
      delivery_delayed - delayed
      on_hold - on_hold
      incident - exception
      return_to_sender - returned
      cancelled - cancelled
      unknown - unknown`,
  },
  ups: {
    read: upsStatus,
    rows: `
      D FS delivered
      I - in_transit
      I OR picked_up
      I OT out_for_delivery
      I OF out_for_delivery
      O OT out_for_delivery
      P - picked_up
      M MP pre_transit
      MV VP cancelled
      X 48 exception
      RS - returned`,
  },
  fedex: {
    read: fedexStatus,
    rows: `
      OC - pre_transit
      PU - picked_up
      IT - in_transit
      AR - in_transit
      DP - in_transit
      AF - in_transit
      OD - out_for_delivery
      DL - delivered
      DE - delivery_failed
      SE - exception
      HL - ready_for_pickup
      HP - ready_for_pickup
      DY - delayed
      CD - on_hold
      RS - returned
      CA - cancelled
      ZZ IT in_transit`,
  },
  usps: {
    read: (code, words) => uspsStatus(code, words ?? ""),
    rows: `
      01 - delivered
      OF - out_for_delivery
      03 - picked_up
      10 - in_transit
      GX - pre_transit
      02 - delivery_failed
      51 - delivery_failed
      57 - delivery_failed
      14 - ready_for_pickup
      16 - ready_for_pickup
      04 - returned
      09 - returned
      21 - returned
      29 - returned`,
  },
};

describe.each(Object.keys(tables))("%s", (name) => {
  const { read, rows } = tables[name]!;
  const cases = rows
    .trim()
    .split("\n")
    .map((row) => row.trim().split(" ") as [string, string, string]);

  test.each(cases)("%s %s is %s", (status, detail, expected) => {
    expect(read(status, detail === "-" ? undefined : detail)).toBe(expected);
  });

  test.each(["", "brand_new_status", "constructor", "__proto__", "99"])(
    "%s, which no document has, is unknown",
    (odd) => {
      expect(read(odd, undefined)).toBe("unknown");
      expect(read(odd, odd)).toBe("unknown");
    },
  );
});

test("the words of USPS count where its code is not known", () => {
  const statuses = ["Out for Delivery", "Held at Post Office, At Customer Request", "Something else"].map((words) =>
    uspsStatus("ZZ", words),
  );
  expect(statuses).toEqual(["out_for_delivery", "ready_for_pickup", "unknown"]);
});
