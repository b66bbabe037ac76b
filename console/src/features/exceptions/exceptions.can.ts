import type { Me } from "../../live/me.ts";
import { missingScope } from "../../live/me.ts";
import type { Exception } from "./exceptions.queries.ts";

/** What may be done about an exception: undefined, or why not. The hub decides in the end. */
export const exceptionCan = {
  fix: ({ scope }: Pick<Exception["availableActions"][number], "scope">, me: Me): string | undefined =>
    missingScope(me, "exceptions:write") ?? missingScope(me, scope),
  fixMany: (me: Me): string | undefined => missingScope(me, "exceptions:write"),
};
