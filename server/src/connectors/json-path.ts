const pathShape = /^(?:(?:\$|[^.[\]]+|\[\d+\])(?:\.[^.[\]]+|\[\d+\])*)?$/;

/** A `*` is rejected: in mappings it means every element, which these paths do not support. */
export function isJsonPath(path: string): boolean {
  return pathShape.test(path) && !path.split(".").includes("*");
}

/** Reads `data.orders` or `items[0].id`; an empty path or `$` is the whole value. */
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
