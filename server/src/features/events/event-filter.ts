import { badField, HubError } from "../../core/errors.ts";
import { nearestName } from "../../core/nearest.ts";
import type { Scope } from "../../core/scopes.ts";
import { splitNames } from "../../core/schema.ts";
import type { Ctx } from "../../context.ts";
import { eventFamilies, eventTypes, mayRead, scopeOfEvent, typesNamed, typesOf } from "../../events/event-families.ts";
import type { EventType } from "../../events/event-catalogue.ts";
import type { StreamQuery } from "./events.schemas.ts";
import type { EventFilter } from "./events.store.ts";

/** The requested types. Without `types`, all that the caller may read; a named type without its scope is an error. */
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

/** `also`: the scope of the route, for the error. */
export function refuseUnreadable({ scopes }: Ctx["principal"], types: readonly EventType[], also: Scope): void {
  const refused = types.filter((type) => !mayRead(scopes, type));
  if (refused.length === 0) return;
  const required = [...new Set(refused.map(scopeOfEvent))];
  throw new HubError("insufficient_scope", `Reading ${refused[0]} requires the scope ${scopeOfEvent(refused[0]!)}.`, {
    extra: { required: [also, ...required], granted: [...scopes] },
  });
}

/** The types selected by a list of names. `pointerTo`: JSON pointer to the nth name. */
export function readTypes(names: readonly string[], pointerTo: (index: number) => string): EventType[] {
  const families = eventFamilies.map((family) => `${family}.*`);
  for (const [index, name] of names.entries()) {
    if (typesNamed(name).length > 0) continue;
    const suggestion = nearestType(name, [...families, ...eventTypes]);
    const message = `Unknown event type ${JSON.stringify(name.slice(0, 100))}.`;
    throw badField(pointerTo(index), "unknown_type", message, {
      allowed: [...families, ...eventTypes],
      ...(suggestion === undefined ? {} : { suggestion }),
    });
  }
  return typesOf(names);
}

/** For `operation.*` the family `operation_run.*`: the common ending `.*` would distort the comparison of names. */
function nearestType(name: string, allowed: readonly string[]): string | undefined {
  const family = name.endsWith(".*") ? nearestName(name.slice(0, -2), eventFamilies) : undefined;
  return family === undefined ? nearestName(name, allowed) : `${family}.*`;
}
