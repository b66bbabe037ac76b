import type { Me } from "../../live/me.ts";
import { missingScope } from "../../live/me.ts";
import type { Exception } from "./exceptions.queries.ts";

/** Whether an action on an exception is allowed: undefined, or the reason why not. The hub checks again. */
export const exceptionCan = {
  fix: ({ scope }: Pick<Exception["availableActions"][number], "scope">, me: Me): string | undefined =>
    missingScope(me, "exceptions:write") ?? missingScope(me, scope),
  fixMany: (me: Me): string | undefined => missingScope(me, "exceptions:write"),
};
