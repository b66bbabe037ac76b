/** `first`: a number, or the name of a variable. */
type Field = { name: string; first: string | undefined; fields: Field[] | undefined; isOfFragment: boolean };

/** Returns of `data` only what a GraphQL document asks for, as a real server does. A field that `data` lacks is null. */
export function selectFields(
  document: string,
  variables: Record<string, unknown>,
  data: unknown,
  onMissing: (path: string) => void = () => {},
): unknown {
  const fields = parsed.get(document) ?? parse(document);
  parsed.set(document, fields);
  return pick(fields, data, "", { variables, onMissing });
}

const parsed = new Map<string, Field[]>();

function parse(document: string): Field[] {
  const tokens = [...document.matchAll(/[{}]|\([^)]*\)|\.\.\.\s*on\s+\w+|\w+/g)].map(([token]) => token);
  let at = tokens.indexOf("{") + 1;
  const firstIn = (args: string): string | undefined => /\bfirst: (\$?\w+)/.exec(args)?.[1];
  const level = (isOfFragment: boolean): Field[] => {
    const fields: Field[] = [];
    while (at < tokens.length && tokens[at] !== "}") {
      const name = tokens[at++]!;
      const first = tokens[at]?.startsWith("(") ? firstIn(tokens[at++]!) : undefined;
      const isFragment = name.startsWith("...");
      const inner = tokens[at] === "{" ? (at++, level(isFragment || isOfFragment)) : undefined;
      if (inner) at++;
      if (isFragment) fields.push(...(inner ?? []));
      else fields.push({ name, first, fields: inner, isOfFragment });
    }
    return fields;
  };
  return level(false);
}

type Asked = { variables: Record<string, unknown>; onMissing(path: string): void };

function pick(fields: Field[], value: unknown, path: string, asked: Asked): unknown {
  if (Array.isArray(value)) return value.map((element) => pick(fields, element, path, asked));
  if (typeof value !== "object" || value === null) return value;
  const given = value as Record<string, unknown>;
  const entries = fields.flatMap(({ name, first, fields: inner, isOfFragment }) => {
    if (!(name in given)) {
      // A fragment asks only nodes of its own type.
      if (isOfFragment) return [];
      asked.onMissing(`${path}${name}`);
      return [[name, null]];
    }
    const count = Number(first?.startsWith("$") ? asked.variables[first.slice(1)] : first);
    const whole = first === undefined ? given[name] : firstOf(given[name], count);
    return [[name, inner ? pick(inner, whole, `${path}${name}.`, asked) : whole]];
  });
  return Object.fromEntries(entries) as Record<string, unknown>;
}

/** The first elements of a list or a connection, whose cursors are offsets. */
function firstOf(value: unknown, first: number): unknown {
  if (Array.isArray(value)) return value.slice(0, first);
  const { nodes, pageInfo } = (value ?? {}) as { nodes?: unknown[]; pageInfo?: object };
  if (!nodes || nodes.length <= first) return value;
  return {
    ...(value as object),
    nodes: nodes.slice(0, first),
    pageInfo: { ...pageInfo, hasNextPage: true, endCursor: String(first) },
  };
}
