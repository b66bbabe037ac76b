import type { ServiceMatch } from "../../carriers/rate-card/compile-card.ts";
import { findService, matchService } from "../../carriers/rate-card/compile-card.ts";
import { foldService, saysHome } from "../../carriers/rate-card/service-level.ts";
import type { NamedMatch, RateItem, Rater } from "./rater.ts";

/** Matches the first candidate name that a service has. */
export function matchOf(rater: Rater, { services }: RateItem): NamedMatch {
  for (const name of services) {
    const match = matchOfName(rater, name);
    if (match.found) return match;
  }
  return matchOfName(rater, services[0]!);
}

function matchOfName(rater: Rater, name: string): NamedMatch {
  const known = rater.matches.get(name);
  if (known) return known;
  const match = { name, found: findMatch(rater, name), isHome: saysHome(name) };
  if (rater.matches.size < 10_000) rater.matches.set(name, match);
  return match;
}

/** Matches a service by alias, else by its name. */
export function findMatch(
  { tariff: { card }, aliases, fallback }: Pick<Rater, "tariff" | "aliases" | "fallback">,
  serviceType: string,
): ServiceMatch | undefined {
  const alias = aliases.get(foldService(serviceType));
  if (alias === undefined) return matchService(card, serviceType, fallback);
  // An alias names a service of the card explicitly, whatever the name means elsewhere.
  return findService(card, alias) ?? matchService(card, alias, fallback);
}
