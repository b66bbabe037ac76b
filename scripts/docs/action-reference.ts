import { actionCatalog } from "../../server/src/features/operations/action-catalog.ts";
import { orderStatuses } from "../../server/src/features/orders/orders.states.ts";

type Literal = string | number | boolean | null;

/** The parts of a JSON Schema that params use. */
type Shape = {
  type?: string | string[];
  const?: Literal;
  enum?: Literal[];
  anyOf?: Shape[];
  items?: Shape;
  properties?: Record<string, Shape>;
  additionalProperties?: boolean | Shape;
  patternProperties?: Record<string, Shape>;
  required?: string[];
  format?: string;
  description?: string;
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  "x-template"?: unknown;
};

const groupTitles: Record<string, string> = {
  workflow: "Workflow",
  organize: "Organize",
  routing: "Routing and lines",
  shipping: "Shipping",
  fulfillment: "Fulfillment",
  payment: "Payment",
  integration: "Other systems",
};

const list = (values: readonly Literal[]): string => values.map((value) => `\`${String(value)}\``).join(", ");

/** In words, such as "list of text, 1 to 50". */
function typeOf(shape: Shape): string {
  if (shape.const !== undefined) return `\`${String(shape.const)}\``;
  if (shape.enum) return list(shape.enum);
  if (shape.anyOf) return [...new Set(shape.anyOf.map(typeOf))].join(" or ");
  if (shape.items) return `list of ${typeOf(shape.items)}${range(shape.minItems, shape.maxItems, "entries")}`;
  if (shape.properties) return `object with ${list(Object.keys(shape.properties))}`;
  const rows = Object.values(shape.patternProperties ?? {})[0] ?? shape.additionalProperties;
  if (typeof rows === "object") return `object of ${typeOf(rows)}`;
  if (shape.format === "uuid") return "ID";
  if (shape.format) return shape.format;
  const names = [shape.type ?? "any"].flat().map((name) => (name === "string" ? "text" : name));
  const limits = range(shape.minimum ?? shape.exclusiveMinimum, shape.maximum, "");
  return `${names.join(" or ")}${limits}${range(undefined, shape.maxLength, "characters")}`;
}

function range(from: number | undefined, to: number | undefined, unit: string): string {
  const tail = unit === "" ? "" : ` ${unit}`;
  if (to === undefined) return from === undefined || from === 0 ? "" : `, at least ${from}${tail}`;
  const upper = to.toLocaleString("en-US");
  return from === undefined || from === 0 ? `, at most ${upper}${tail}` : `, ${from} to ${upper}${tail}`;
}

const inCell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");

function paramRows(params: Shape, conditionParam: string | undefined): string[] {
  return Object.entries(params.properties ?? {}).map(([name, shape]) => {
    const type = name === conditionParam ? "[condition](conditions.md)" : inCell(typeOf(shape));
    const isRequired = params.required?.includes(name) ? "yes" : "";
    const template = shape["x-template"] === undefined ? "" : " Takes [templates](actions.md#templates-in-params).";
    const about = `${shape.description ?? ""}${shape.description && template ? "." : ""}${template}`.trim();
    return `| \`${name}\` | ${type} | ${isRequired} | ${inCell(about)} |`;
  });
}

/** A section for each action, made from the catalog. */
export function actionReference(note: string): string {
  const lines = [
    "# Action reference",
    "",
    note,
    "",
    `All ${actionCatalog.length} actions with their params. [Actions](actions.md) explains templates, labels and e-mail, [Pipelines](guides/pipelines.md) how`,
    "actions are preflighted, run and undone. `GET /operations/actions` has the same as JSON Schema.",
  ];
  for (const [group, title] of Object.entries(groupTitles)) {
    lines.push("", `## ${title}`);
    for (const action of actionCatalog.filter((one) => one.group === group)) {
      const isAny = action.statuses.length === orderStatuses.length;
      const rows = paramRows(action.params, action.conditionParam);
      lines.push(
        "",
        `### \`${action.type}\``,
        "",
        `${action.title}. ${action.description.replace(/\.?$/, ".")}`,
        "",
        ...(rows.length === 0
          ? ["No params."]
          : ["| Param | Type | Required | Description |", "|---|---|---|---|", ...rows]),
        "",
        `- Statuses: ${isAny ? "any" : list(action.statuses)}`,
        `- Undo: ${action.irreversible === undefined ? "yes" : `no. ${action.irreversible}`}`,
        `- Scopes: \`operations:run\`${action.scope ? `, \`${action.scope}\`` : ""}`,
        "",
        "```json action",
        JSON.stringify({ type: action.type, params: action.example }, null, 2),
        "```",
      );
    }
  }
  return `${lines.join("\n")}\n`;
}
