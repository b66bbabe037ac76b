const pathShape = /^(?:(?:\$|[^.[\]]+|\[\d+\])(?:\.[^.[\]]+|\[\d+\])*)?$/;

/** A `*` alone is no name: elsewhere it means every element, which these paths cannot say. */
export function isJsonPath(path: string): boolean {
  return pathShape.test(path) && !path.split(".").includes("*");
}

/** `data.orders`, `items[0].id`; empty or `$` is the whole. What is not there is undefined. */
export function readPath(value: unknown, path: string): unknown {
  const steps = path
    .replace(/^\$\.?/, "")
    .split(/[.[\]]/)
    .filter((step) => step !== "");
  let at = value;
  for (const step of steps) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, step)) return undefined;
    at = (at as Record<string, unknown>)[step];
  }
  return at;
}
