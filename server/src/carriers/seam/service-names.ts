import type { NoQuote } from "./quotes.ts";

/** "GroundAdvantage" and "fedex_ground" as people read them. */
export function readableName(code: string): string {
  const words = code
    .replaceAll(/[_\s]+/g, " ")
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .trim();
  return words.replaceAll(/(^| )([a-z])/g, (_match, space: string, letter: string) => space + letter.toUpperCase());
}

/** Services that were asked for and not priced, each with the reason if the carrier gave one. */
export function missingServices(
  wanted: readonly string[] | undefined,
  priced: ReadonlySet<string>,
  reasonOf: (service: string) => string,
): NoQuote[] {
  return (wanted ?? [])
    .filter((service) => !priced.has(service))
    .map((service) => ({
      service,
      serviceName: readableName(service),
      reason: "not_offered",
      message: reasonOf(service),
    }));
}
