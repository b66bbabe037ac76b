import { expect, test } from "vitest";
import type { ServiceLevel } from "./service-level.ts";
import { foldService, levelOfService } from "./service-level.ts";

/** As invoices, carriers' programs and shipping software write them. */
const spellings: Record<ServiceLevel, string[]> = {
  media: ["USPS Media Mail", "MEDIA_MAIL", "LIBRARY_MAIL", "usps_media_mail"],
  economy: [
    "UPS SurePost®",
    "UPS SurePost® Less than 1 lb",
    "UPS SurePost® 1 lb or Greater",
    "ups_surepost_1_lb_or_greater",
    "UPS® Ground Saver",
    "FedEx Ground® Economy",
    "FedEx SmartPost®",
    "SMART_POST",
    "fedex_ground_economy",
    "USPS Parcel Select",
    "PARCEL_SELECT",
    "usps_parcel_select",
  ],
  ground: [
    "UPS® Ground",
    "UPS Ground",
    "ups_ground",
    "GND",
    "Ground Residential",
    "Ground Commercial",
    "UPS Ground (Residential)",
    "FedEx Ground®",
    "FEDEX_GROUND",
    "FedEx Home Delivery®",
    "GROUND_HOME_DELIVERY",
    "fedex_home_delivery",
    "USPS Ground Advantage™",
    "USPS_GROUND_ADVANTAGE",
    "usps_ground_advantage",
    "USPS First-Class Package Service®",
    "USPS First Class Mail - Package",
    "Standard",
    "Standard Shipping",
    "03",
  ],
  three_day: [
    "UPS 3 Day Select®",
    "ups_3_day_select",
    "3 Day Select Residential",
    "FedEx Express Saver®",
    "FEDEX_EXPRESS_SAVER",
    "fedex_express_saver",
    "USPS Priority Mail®",
    "PRIORITY_MAIL",
    "Priority Mail Cubic",
    "usps_priority_mail",
  ],
  two_day: [
    "UPS 2nd Day Air®",
    "ups_2nd_day_air",
    "2nd Day Air Residential",
    "2nd Day Air Commercial",
    "UPS Second Day Air",
    "2DA",
    "FedEx 2Day®",
    "FEDEX_2_DAY",
    "fedex_2day",
    "FedEx 2Day One Rate",
  ],
  two_day_am: [
    "UPS 2nd Day Air A.M.®",
    "ups_2nd_day_air_am",
    "UPS 2nd Day Air® A.M.",
    "2nd Day Air A.M.",
    "FedEx 2Day® A.M.",
    "FEDEX_2_DAY_AM",
    "fedex_2day_am",
  ],
  overnight_saver: [
    "UPS Next Day Air Saver®",
    "ups_next_day_air_saver",
    "Next Day Air Saver Residential",
    "FedEx Standard Overnight®",
    "STANDARD_OVERNIGHT",
    "fedex_standard_overnight",
  ],
  overnight: [
    "UPS Next Day Air®",
    "ups_next_day_air",
    "Next Day Air Commercial",
    "FedEx Priority Overnight®",
    "PRIORITY_OVERNIGHT",
    "USPS Priority Mail Express®",
    "PRIORITY_MAIL_EXPRESS",
    "usps_priority_mail_express",
  ],
  overnight_early: [
    "UPS Next Day Air® Early",
    "UPS Next Day Air® Early A.M.®",
    "ups_next_day_air_early_am",
    "FedEx First Overnight®",
    "FIRST_OVERNIGHT",
    "fedex_first_overnight",
  ],
  same_day: ["FedEx SameDay®", "Same Day", "same-day"],
};

const all = Object.entries(spellings).flatMap(([level, names]) => names.map((name) => [name, level]));

test.each(all)("D15: %s is %s", (name, level) => {
  expect(levelOfService(name)).toBe(level);
  expect(levelOfService(name.toLowerCase())).toBe(level);
});

test.each([
  "UPS Standard",
  "UPS Standard℠",
  "ups_standard",
  "UPS Worldwide Expedited®",
  "UPS Worldwide Express Plus®",
  "FedEx International Economy®",
  "FEDEX_INTERNATIONAL_PRIORITY",
  "USPS Priority Mail International®",
  "First-Class Package International Service",
  "Freight",
  "Residential",
  "",
])("D15: %j is no service within the country", (name) => {
  expect(levelOfService(name)).toBeUndefined();
});

test("a name that is only that of a carrier keeps it", () => {
  expect([foldService("UPS"), foldService("fedex "), foldService("UPS® Ground™")]).toEqual(["UPS", "FEDEX", "GROUND"]);
});
