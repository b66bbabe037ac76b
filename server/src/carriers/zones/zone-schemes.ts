import { toMg } from "../rate-card/measures.ts";
import type { ServiceLevel } from "../rate-card/service-level.ts";

/** Distance bands with their zones, and the areas whose zone does not depend on the distance. */
export type ZoneScheme = {
  /** Upper limits in miles; the last zone has none. */
  edges: number[];
  zones: string[];
  /** The zone of a special area; null: not served; undefined: the distance decides. */
  special(origin: string, destination: string): string | null | undefined;
  /** The ZIP to measure the distance to instead, for overseas parcels that are routed through an exchange office. */
  gatewayZip?(destination: string, parcel: { level: ServiceLevel; weightMg: number }): string | undefined;
};

export type SchemeName = "usps" | "ups" | "fedex" | "bands" | "chart" | "flat";

const area = (zip: string): "PR" | "HI" | "AK" | "GU" | "military" | "mainland" => {
  const prefix = Number(zip.slice(0, 3));
  if (prefix >= 6 && prefix <= 9) return "PR";
  if (prefix === 967 || prefix === 968) return "HI";
  if (prefix >= 995) return "AK";
  if (prefix === 969) return "GU";
  if ((prefix >= 90 && prefix <= 99) || prefix === 340 || (prefix >= 962 && prefix <= 966)) return "military";
  return "mainland";
};

/** The Freely Associated States: Palau, the Marshall Islands and Micronesia. */
function isFreelyAssociated(zip: string): boolean {
  const number = Number(zip);
  return (number >= 96_939 && number <= 96_944) || number === 96_960 || number === 96_970;
}

/** Europe and the Pacific; the Americas (340) are not among them. */
function isOverseasMilitary(zip: string): boolean {
  return area(zip) === "military" && !zip.startsWith("340");
}

const poundMg = toMg({ value: 1, unit: "lb" });
const chicago = "60600";

const upsAreas = { PR: "45", HI: "44", AK: "44", GU: null, military: null } as const;
const fedexAreas = { PR: null, HI: "9", AK: "17", GU: null, military: null } as const;

/** Within one area, and from it to the mainland, the distance decides. */
const byArea =
  (areas: Record<"PR" | "HI" | "AK" | "GU" | "military", string | null>): ZoneScheme["special"] =>
  (origin, destination) => {
    const [from, to] = [area(origin), area(destination)];
    if (to === "mainland" || (from === to && areas[to] !== null)) return undefined;
    return areas[to];
  };

const merged = ["2", "3", "4", "5", "6", "7", "8"];

const schemes: Record<"usps" | "ups" | "fedex", ZoneScheme> = {
  usps: {
    edges: [50, 150, 300, 600, 1000, 1400, 1800],
    zones: ["1", "2", "3", "4", "5", "6", "7", "8"],
    special: (origin, destination) => {
      if (isFreelyAssociated(destination)) return "9";
      return origin.slice(0, 3) === destination.slice(0, 3) ? "1" : undefined;
    },
    // Ground Advantage and Priority Mail under a pound go overseas through Chicago, heavier parcels through either coast.
    gatewayZip: (destination, { level, weightMg }) =>
      weightMg < poundMg && (level === "ground" || level === "three_day") && isOverseasMilitary(destination)
        ? chicago
        : undefined,
  },
  // Bands slightly wider than the nominal ones match the published charts best.
  ups: { edges: [170, 320, 620, 1020, 1420, 1820], zones: merged, special: byArea(upsAreas) },
  fedex: { edges: [165, 315, 615, 1015, 1415, 1815], zones: merged, special: byArea(fedexAreas) },
};

export type Band = { upToMiles: number | null; zone: string };

/** Undefined: the scheme does not use distances. */
export function schemeOf(name: SchemeName, bands: readonly Band[] = []): ZoneScheme | undefined {
  if (name === "usps" || name === "ups" || name === "fedex") return schemes[name];
  if (name !== "bands") return undefined;
  const edges = bands.flatMap(({ upToMiles }) => (upToMiles === null ? [] : [upToMiles]));
  const zones = bands.map(({ zone }) => zone);
  return { edges, zones, special: () => undefined };
}
