/** JSON pointers (RFC 6901): "/lines/0/sku". */
const partsOf = (pointer: string): string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));

export function valueAt(data: unknown, pointer: string): unknown {
  return partsOf(pointer).reduce<unknown>(
    (inner, part) =>
      typeof inner === "object" && inner !== null ? (inner as Record<string, unknown>)[part] : undefined,
    data,
  );
}

/** A copy with the value set; creates missing parents. */
export function withValueAt(data: unknown, pointer: string, value: unknown): unknown {
  const put = (inner: unknown, [part, ...rest]: readonly string[]): unknown => {
    if (part === undefined) return value;
    if (Array.isArray(inner)) return inner.map((one: unknown, at) => (String(at) === part ? put(one, rest) : one));
    const record = (inner ?? {}) as Record<string, unknown>;
    return { ...record, [part]: put(record[part], rest) };
  };
  return put(data, partsOf(pointer));
}
