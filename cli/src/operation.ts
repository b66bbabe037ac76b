/** An operation of the API as cli/src/operations.json describes it. */
export type Operation = {
  kind: "none" | "body" | "query" | "list" | "watch" | "watchBy";
  /** Method and path, as the client of the SDK takes them. */
  key: string;
  summary: string;
  scope: string;
  query?: OperationField[];
  body?: OperationField[];
  /** The body may be a file, such as text/csv. */
  takesFile?: boolean;
  /** Of a change whose answer is known: the fields of the record, or of an entry of the list. */
  returns?: string[] | "file";
};

/** A query parameter, or a top-level field of the body. */
export type OperationField = {
  name: string;
  /** Of an entry, if `isList`. Objects are given as JSON. */
  type: "string" | "number" | "boolean" | "json";
  isList?: boolean;
  isRequired?: boolean;
  values?: string[];
  text?: string;
};

/** `lastChanges` and `order_ids` as people type them: `last-changes`, `order-ids`. */
export function kebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replaceAll("_", "-");
}

/** IDs in the path, in their order. */
export function idsOf({ key }: Operation): string[] {
  return [...key.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
}

/** POST requests with a scope that only reads, such as a preflight, change nothing. */
export function isWrite({ key, scope }: Pick<Operation, "key" | "scope">): boolean {
  return !key.startsWith("GET ") && !scope.endsWith(":read");
}
