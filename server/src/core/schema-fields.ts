/** A field of a JSON Schema by its path: `lines[].sku` is that of each line. */
export type SchemaField = {
  path: string;
  type: "text" | "number" | "boolean" | "date" | "object" | "list";
  /** Within its parent object, if that is given. */
  required: boolean;
  /** Accepts members of any name. */
  isOpen: boolean;
  /** Allowed values. */
  values: string[] | null;
  description: string | null;
};

type Node = {
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: unknown[];
  anyOf?: Node[];
  properties?: Record<string, Node>;
  required?: string[];
  items?: Node;
  additionalProperties?: Node | boolean;
};

/** All fields of an object schema, parents before their members. */
export function schemaFields(schema: object): SchemaField[] {
  return fieldsIn(schema, "");
}

function fieldsIn({ properties = {}, required = [] }: Node, around: string): SchemaField[] {
  return Object.entries(properties).flatMap(([name, member]) => {
    const node = plain(member);
    const path = around + name;
    const own = { path, required: required.includes(name), ...about(node, member) };
    if (node.items?.properties) return [{ ...own, type: "list" as const }, ...fieldsIn(node.items, `${path}[].`)];
    if (node.properties) return [{ ...own, type: "object" as const }, ...fieldsIn(node, `${path}.`)];
    return [own];
  });
}

/** The schema of a nullable member without null. */
const plain = (node: Node): Node => node.anyOf?.find(({ type }) => type !== "null") ?? node;

function about(node: Node, member: Node): Pick<SchemaField, "type" | "isOpen" | "description" | "values"> {
  const [type] = [node.type ?? "string"].flat();
  const values = node.enum?.filter((value) => typeof value === "string");
  return {
    type: typeOf(type!, node),
    isOpen: typeof node.additionalProperties === "object",
    description: member.description ?? node.description ?? null,
    values: values && values.length > 0 ? values : null,
  };
}

function typeOf(type: string, { format, items }: Node): SchemaField["type"] {
  if (items) return "list";
  if (type === "integer" || type === "number") return "number";
  if (type === "boolean" || type === "object") return type;
  return format === "date-time" ? "date" : "text";
}
