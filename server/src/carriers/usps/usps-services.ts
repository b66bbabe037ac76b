import { notSupported } from "../seam/option-checks.ts";

/** Mail classes by the name of USPS, with other names that rate cards use for them. */
const services: Record<string, { name: string; level: string; aliases: string[] }> = {
  USPS_GROUND_ADVANTAGE: {
    name: "USPS Ground Advantage",
    level: "ground",
    aliases: ["GROUND ADVANTAGE", "GA", "FIRST CLASS PACKAGE", "FIRST CLASS PACKAGE SERVICE", "GROUND"],
  },
  PRIORITY_MAIL: { name: "Priority Mail", level: "three_day", aliases: ["PRIORITY", "PM"] },
  PRIORITY_MAIL_EXPRESS: {
    name: "Priority Mail Express",
    level: "overnight",
    aliases: ["PRIORITY EXPRESS", "EXPRESS MAIL", "EXPRESS", "PME"],
  },
  MEDIA_MAIL: { name: "Media Mail", level: "media", aliases: ["MEDIA"] },
  LIBRARY_MAIL: { name: "Library Mail", level: "media", aliases: ["LIBRARY"] },
  BOUND_PRINTED_MATTER: { name: "Bound Printed Matter", level: "media", aliases: ["BPM"] },
  PARCEL_SELECT: { name: "Parcel Select", level: "economy", aliases: [] },
};

export function uspsService(mailClass: string): { name: string; level: string | null } {
  return services[mailClass] ?? { name: mailClass.replaceAll("_", " "), level: null };
}

/** The mail class of a service: quotes come from a rate card, whose services have names of the user's choice. */
export function mailClassOf(service: string): string {
  const folded = service
    .replaceAll(/[®™]/g, "")
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, " ")
    .trim()
    .replace(/^USPS (?!$)/, "");
  const found = Object.entries(services).find(([mailClass, { aliases }]) =>
    [mailClass.replace(/^USPS_/, "").replaceAll("_", " "), ...aliases].includes(folded),
  );
  if (found) return found[0];
  const codes = Object.keys(services).join(", ");
  throw notSupported("USPS", `the service ${service}`, `Use ${codes}, also as codes in your rate card.`);
}
