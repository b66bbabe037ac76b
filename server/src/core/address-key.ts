import type { Address } from "./address.ts";
import { countryOfAddress } from "./time-zones.ts";

/** Common street abbreviations. */
const streetWords = new Map(
  (
    "street st,avenue ave,av ave,road rd,boulevard blvd,drive dr,lane ln,court ct,place pl,square sq,parkway pkwy," +
    "highway hwy,terrace ter,circle cir,north n,south s,east e,west w,northeast ne,northwest nw,southeast se," +
    "southwest sw,suite ste,apartment apt,building bldg,floor fl,room rm"
  )
    .split(",")
    .map((pair) => pair.split(" ") as [word: string, short: string]),
);

/** The same for different spellings of one address. */
export function addressKeyOf(address: Address): string {
  const words = (text: string | undefined): string[] => (text ?? "").toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const plain = (text: string | undefined): string =>
    words(text?.replaceAll(/['\u2019.]/g, ""))
      .map((word) => streetWords.get(word) ?? word)
      .join("");
  const { address1, address2, zip } = address;
  const country = countryOfAddress(address)?.toLowerCase() ?? "";
  return [plain(address1), plain(address2), plain(zip).slice(0, 5), country].join("|");
}
