import { expect, test } from "vitest";
import { formatAddress } from "../server/src/features/documents/address-format.ts";
import { addressLines } from "./src/features/orders/address-lines.pick.ts";

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ".split("");
const whole = { name: "Ann", company: "Co", address1: "1 Way", address2: "Floor 2", city: "City", zip: "12345" };

test("the screen shows an address of any country as the packing slip does", () => {
  for (const code of letters.flatMap((one) => letters.map((other) => one + other))) {
    for (const region of [
      {},
      { provinceCode: "ST" },
      { province: "State" },
      { province: "State", provinceCode: "ST" },
    ]) {
      const address = { ...whole, ...region, countryCode: code };
      expect(addressLines(address), code).toEqual(formatAddress(address));
    }
  }
  for (const address of [{}, { country: "Ruritania", city: "Strelsau" }, { ...whole, countryCode: "jp", zip: "" }])
    expect(addressLines(address)).toEqual(formatAddress(address));
});
