import type { Operation } from "./operation.ts";
import { kebab } from "./operation.ts";
import table from "./operations.json" with { type: "json" };

/** Operations by the words of their command: `orders last-changes list`. */
export const operations: ReadonlyMap<string, Operation> = new Map(
  Object.entries(table as Record<string, Operation>).map(([name, operation]) => [
    name.split(".").map(kebab).join(" "),
    operation,
  ]),
);
