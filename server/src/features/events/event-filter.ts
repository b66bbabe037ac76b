import { badField, HubError } from "../../core/errors.ts";
import { nearestName } from "../../core/nearest.ts";
import { splitNames } from "../../core/schema.ts";
import type { Ctx } from "../../context.ts";
import { eventFamilies, eventTypes, mayRead, scopeOfEvent, typesNamed } from "../../events/event-families.ts";
import type { EventType } from "../../events/event-catalogue.ts";
import type { StreamQuery } from "./events.schemas.ts";
import type { EventFilter } from "./events.store.ts";

/** What is asked for, of what the caller may read: families that they may not are left out, unless they were named. */
export function readFilter({ principal }: Pick<Ctx, "principal">, query: StreamQuery): EventFilter {
  const { types, objectId, since } = query;
  const named = types === undefined ? undefined : readTypes(types);
  const refused = (named ?? []).filter((type) => !mayRead(principal.scopes, type));
  if (refused.length > 0) {
    const required = [...new Set(refused.map(scopeOfEvent))];
    throw new HubError("insufficient_scope", `To read ${refused[0]} takes the scope ${scopeOfEvent(refused[0]!)}.`, {
      extra: { required: ["events:read", ...required], granted: [...principal.scopes] },
    });
  }
  return {
    types: named ?? eventTypes.filter((type) => mayRead(principal.scopes, type)),
    ...(objectId === undefined ? {} : { objectId: objectId.toLowerCase() }),
    ...(since === undefined ? {} : { since: new Date(since) }),
  };
}

/** The types that are meant by a list of names; also what a webhook is for. */
function readTypes(list: string): EventType[] {
  const names = splitNames<string>(list);
  const families = eventFamilies.map((family) => `${family}.*`);
  for (const name of names) {
    if (typesNamed(name).length > 0) continue;
    const suggestion = nearestName(name, [...families, ...eventTypes]);
    throw badField("query/types", "unknown_type", `There is no type of events ${JSON.stringify(name.slice(0, 100))}.`, {
      allowed: [...families, ...eventTypes],
      ...(suggestion === undefined ? {} : { suggestion }),
    });
  }
  return [...new Set(names.flatMap(typesNamed))];
}
