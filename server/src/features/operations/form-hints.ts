/**
 * What a form needs to know of a param beyond its type: a title, what an id is the id of, which other param it depends on, and
 * how it is best entered. Said once for all actions, by the names that they share.
 */
type Node = Record<string, unknown>;

/** Ids are bare uuids: the kind of thing they point at, by the name of the param. */
const entities: Record<string, string> = {
  location_id: "location",
  user_id: "user",
  assignee_id: "user",
  bridge_id: "bridge",
  carrier_account_id: "carrier_account",
};

/** What can be chosen there follows from another param. */
const dependencies: Record<string, string[]> = {
  task_name: ["bridge_id"],
  input: ["bridge_id", "task_name"],
  service: ["carrier_account_id", "carrier"],
};

const widgets: Record<string, string> = {
  tags: "tags",
  text: "textarea",
  note: "textarea",
  condition: "condition",
  address: "address",
  input: "json",
};

/** The schema with hints at each of its members, also within members. The given one stays as it is. */
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
