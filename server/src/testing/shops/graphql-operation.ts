/** A field of a selection set; `fields` is undefined for a leaf. */
type Field = { name: string; as: string; fields?: Field[] };

/** An error in the form of a GraphQL server. */
export class GraphqlFault extends Error {
  readonly code: string;
  constructor(message: string, code = "GRAPHQL_VALIDATION_FAILED") {
    super(message);
    this.code = code;
  }
}

/**
 * Reads the selection sets of one GraphQL operation, as much of the language as queries of an order import need: fields, aliases,
 * inline fragments. Arguments are skipped: stand-ins read them from the variables.
 */
export function readOperation(query: string): { kind: string; fields: Field[] } {
  const tokens = query.match(/"(?:[^"\\]|\\.)*"|\.\.\.|[A-Za-z_$]\w*|[{}()[\]:!=]|-?\d+/g) ?? [];
  let at = 0;
  const kind = tokens[at] === "mutation" ? "mutation" : "query";
  const skipParentheses = (): void => {
    if (tokens[at] !== "(") return;
    for (let depth = 0; at < tokens.length;) {
      const token = tokens[at++];
      if (token === "(") depth++;
      if (token === ")" && --depth === 0) return;
    }
  };
  const readFields = (): Field[] => {
    const fields: Field[] = [];
    at++;
    while (tokens[at] !== "}") {
      if (at >= tokens.length)
        throw new GraphqlFault("Syntax Error: Expected Name, found <EOF>.", "GRAPHQL_PARSE_FAILED");
      if (tokens[at] === "...") {
        at += 3;
        fields.push(...readFields());
        continue;
      }
      const first = tokens[at++]!;
      const name = tokens[at] === ":" ? tokens[(at += 2) - 1]! : first;
      skipParentheses();
      fields.push(tokens[at] === "{" ? { name, as: first, fields: readFields() } : { name, as: first });
    }
    at++;
    return fields;
  };
  if (kind === "mutation" || tokens[at] === "query") at++;
  if (tokens[at] !== "{" && tokens[at] !== "(") at++;
  skipParentheses();
  return { kind, fields: readFields() };
}

/**
 * The selected members of a value. A field that the value does not have is an error, as in a schema; members of a union that
 * another type of it has are left out.
 */
export function select(value: unknown, fields: Field[] | undefined, isUnion = false): unknown {
  if (Array.isArray(value)) return value.map((item) => select(item, fields, isUnion));
  if (typeof value !== "object" || value === null) return value;
  if (fields === undefined) throw new GraphqlFault("Field must have a selection of subfields.");
  const selected: Record<string, unknown> = {};
  for (const { name, as, fields: inner } of fields) {
    if (name === "__typename") continue;
    if (!Object.hasOwn(value, name)) {
      if (isUnion) continue;
      throw new GraphqlFault(`Cannot query field "${name}" on this type.`);
    }
    selected[as] = select((value as Record<string, unknown>)[name], inner);
  }
  return selected;
}
