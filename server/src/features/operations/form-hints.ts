/**
 * Hints for forms beyond the schema of a param: title, referenced entity, params it depends on, and widget. Defined once for all
 * actions, by param name.
 */
type Node = Record<string, unknown>;

/** The entity an ID refers to, by param name. */
const entities: Record<string, string> = {
  location_id: "location",
  user_id: "user",
  user_ids: "user",
  assignee_id: "user",
  bridge_id: "bridge",
  carrier_account_id: "carrier_account",
};

/** The choices of these params depend on other params. */
const dependencies: Record<string, string[]> = {
  task_name: ["bridge_id"],
  input: ["bridge_id", "task_name"],
  service: ["carrier_account_id", "carrier"],
};

const widgets: Record<string, string> = {
  tags: "tags",
  text: "textarea",
  html: "textarea",
  note: "textarea",
  condition: "condition",
  address: "address",
  input: "json",
};

/** Few users need these params; forms fold them away. */
const advanced = new Set(["options"]);

/** A copy of the schema with hints on each member, recursively. */
export function withFormHints(schema: object): Node {
  const { properties, items } = schema as { properties?: Record<string, Node>; items?: Node };
  return {
    ...schema,
    ...(properties ? { properties: mapValues(properties, (member, name) => hint(name, withFormHints(member))) } : {}),
    ...(items ? { items: withFormHints(items) } : {}),
  };
}

function hint(name: string, member: Node): Node {
  const dependsOn = dependencies[name];
  const widget = widgets[name] ?? widgetOfFormat(member);
  return {
    title: titleOf(name),
    ...member,
    ...(entities[name] === undefined ? {} : { "x-entity": entities[name] }),
    ...(dependsOn === undefined ? {} : { "x-depends-on": dependsOn }),
    ...(widget === undefined ? {} : { "x-widget": widget }),
    ...(advanced.has(name) ? { "x-advanced": true } : {}),
  };
}

function widgetOfFormat({ format }: Node): string | undefined {
  return format === "date-time" || format === "date-or-date-time" ? "date-time" : undefined;
}

/** `carrier_account_id` is the Carrier account. */
export function titleOf(name: string): string {
  const words = name
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .replaceAll(/[_-]/g, " ")
    .toLowerCase()
    .replace(/ ids?$/, "");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function mapValues(object: Record<string, Node>, map: (value: Node, name: string) => Node): Record<string, Node> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value, name)]));
}
