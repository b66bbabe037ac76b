import { badField, HubError } from "../../core/errors.ts";
import { nearestName } from "../../core/nearest.ts";
import type { Scope } from "../../core/scopes.ts";
import { splitNames } from "../../core/schema.ts";
import type { Ctx } from "../../context.ts";
import { eventFamilies, eventTypes, mayRead, scopeOfEvent, typesNamed, typesOf } from "../../events/event-families.ts";
import type { EventType } from "../../events/event-catalogue.ts";
import type { StreamQuery } from "./events.schemas.ts";
import type { EventFilter } from "./events.store.ts";

/** What is asked for, of what the caller may read: families that they may not are left out, unless they were named. */
export function readFilter({ principal }: Pick<Ctx, "principal">, query: StreamQuery): EventFilter {
  const { types, objectId, since } = query;
  const named = types === undefined ? undefined : readTypes(splitNames(types), () => "query/types");
  refuseUnreadable(principal, named ?? [], "events:read");
  return {
    types: named ?? eventTypes.filter((type) => mayRead(principal.scopes, type)),
    ...(objectId === undefined ? {} : { objectId: objectId.toLowerCase() }),
    ...(since === undefined ? {} : { since: new Date(since) }),
  };
}

/** Nobody is told of what they may not read, whichever way. `also` is what reading takes besides. */
export function refuseUnreadable({ scopes }: Ctx["principal"], types: readonly EventType[], also: Scope): void {
  const refused = types.filter((type) => !mayRead(scopes, type));
  if (refused.length === 0) return;
  const required = [...new Set(refused.map(scopeOfEvent))];
  throw new HubError("insufficient_scope", `To read ${refused[0]} takes the scope ${scopeOfEvent(refused[0]!)}.`, {
    extra: { required: [also, ...required], granted: [...scopes] },
  });
}

/** The types that are meant by a list of names; also what a webhook is for. `pointerTo` says where the nth name stands. */
export function readTypes(names: readonly string[], pointerTo: (index: number) => string): EventType[] {
  const families = eventFamilies.map((family) => `${family}.*`);
  for (const [index, name] of names.entries()) {
    if (typesNamed(name).length > 0) continue;
    const suggestion = nearestType(name, [...families, ...eventTypes]);
    const message = `There is no type of events ${JSON.stringify(name.slice(0, 100))}.`;
    throw badField(pointerTo(index), "unknown_type", message, {
      allowed: [...families, ...eventTypes],
      ...(suggestion === undefined ? {} : { suggestion }),
    });
  }
  return typesOf(names);
}

/** For `operation.*` the family `operation_run.*`: the end that all families share says nothing about which is meant. */
function nearestType(name: string, allowed: readonly string[]): string | undefined {
  const family = name.endsWith(".*") ? nearestName(name.slice(0, -2), eventFamilies) : undefined;
  return family === undefined ? nearestName(name, allowed) : `${family}.*`;
}
