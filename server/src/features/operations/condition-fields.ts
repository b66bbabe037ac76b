import { operators } from "../../core/condition-shape.ts";
import { listsIn } from "../../core/condition-types.ts";
import { maySeePersonalData } from "../../core/mask-person.ts";
import type { Ctx } from "../../context.ts";
import { AskedOrder } from "../orders/order-answers.schemas.ts";
import { askedFields, isPersonalPath } from "../orders/orders.ts";
import { titleOf } from "./form-hints.ts";
import type { ConditionField } from "./catalog.schemas.ts";

type Node = {
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  properties?: Record<string, Node>;
  items?: Node;
  additionalProperties?: Node | boolean;
};

const common = ["eq", "ne", "in", "not_in", "empty", "not_empty"] as const;
const ordered = ["gt", "gte", "lt", "lte", "between"] as const;
const texts = ["contains", "starts_with", "ends_with", "matches", "in_set", "not_in_set"] as const;
/** Suggested operators per type. Others are accepted unless they could never, or only ever, be true. */
const operatorsOf: Record<ConditionField["type"], readonly (typeof operators)[number][]> = {
  text: [...common, ...texts],
  number: [...common, ...ordered],
  boolean: ["eq", "ne"],
  date: ["empty", "not_empty", ...ordered],
  id: [...common, "in_set", "not_in_set"],
  choice: common,
  tags: ["has_tag", "in", "not_in", "empty", "not_empty", "in_set", "not_in_set"],
};

const entities: Record<string, string> = {
  locationId: "location",
  assigneeId: "user",
  bridgeId: "bridge",
  carrierAccountId: "carrier_account",
  parentOrderId: "order",
  mergedIntoId: "order",
};

/** The order fields that conditions can use, from the schema of the order. */
export function listConditionFields(ctx: Ctx): { data: ConditionField[]; operators: string[]; lists: string[] } {
  const mayAsk = maySeePersonalData(ctx);
  const data = fieldsIn(AskedOrder as Node, []).map((field) => ({
    ...field,
    available: mayAsk || !isPersonalPath(field.path),
  }));
  return { data, operators: [...operators], lists: listsIn(askedFields) };
}

type Found = Omit<ConditionField, "available">;

/** Fields of list members are listed: `lines.sku` matches any line. */
function fieldsIn(node: Node, path: string[]): Found[] {
  const { properties, items, additionalProperties: values } = node;
  if (properties) return Object.entries(properties).flatMap(([name, member]) => fieldsIn(member, [...path, name]));
  if (items) return items.properties ? fieldsIn(items, path) : [fieldOf(path, "tags", items)];
  if (typeof values === "object") return [fieldOf([...path, "*"], "text", values)];
  return [fieldOf(path, typeOf(node), node)];
}

function fieldOf(path: string[], type: ConditionField["type"], { enum: choices }: Node): Found {
  const entity = entities[path.at(-1)!];
  return {
    path: path.join("."),
    title: path.map((name, at) => (at === 0 ? titleOf(name) : titleOf(name).toLowerCase())).join(", "),
    type,
    operators: [...operatorsOf[type]],
    values: choices ? choices.filter((choice) => typeof choice === "string") : null,
    entity: entity ?? null,
  };
}

function typeOf({ type, format, enum: choices }: Node): ConditionField["type"] {
  if (choices) return "choice";
  if (format === "uuid") return "id";
  if (format === "date-time" || format === "date") return "date";
  const plain = [type].flat().find((name) => name !== "null");
  if (plain === "boolean") return "boolean";
  return plain === "integer" || plain === "number" ? "number" : "text";
}
