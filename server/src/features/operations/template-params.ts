import { escapeHtml } from "../../core/escape-html.ts";
import type { FieldError } from "../../core/errors.ts";
import type { ConditionRules } from "../../core/conditions.ts";
import { pathMistake } from "../../core/conditions.ts";
import type { Order } from "../orders/order.ts";
import type { RecordTemplate } from "../transformations/transformations.ts";
import { compileRecordTemplate } from "../transformations/transformations.ts";
import type { Refusal } from "./action.ts";
import type { OrderFacts } from "./order-conditions.ts";
import { presentWith } from "./order-conditions.ts";
import { refuse } from "./action.ts";

/**
 * Params with this keyword are templates filled in from each order: `{{number}}` or `{{order.number}}`, with the grammar of mapping
 * templates. `text`: the result is a string; `html`: a string with escaped values; `value`: a single placeholder keeps its type;
 * `all`: every string within, where missing values become null or blank.
 */
type TemplateKind = "text" | "html" | "value" | "all";
const keyword = "x-template";

export function filledIn<Schema extends object>(schema: Schema, kind: TemplateKind = "text"): Schema {
  return { ...schema, [keyword]: kind };
}

export function filledInTags<Tags extends { items: object }>(tags: Tags): Tags {
  return { ...tags, items: filledIn(tags.items) };
}

export type FillParams = (order: Order, facts: OrderFacts) => { params: unknown } | Refusal;

type Filling = { record: object; now: Date; refusal?: Refusal; escaped?: unknown };
type Fill = (filling: Filling) => unknown;
type Rules = Pick<ConditionRules, "fields" | "refusal">;
type Node = { properties?: Record<string, Node>; items?: Node; uniqueItems?: boolean; [keyword]?: TemplateKind };

/** Finds and checks the templates in params. `fill` is undefined if there are none; `asks` has the paths of placeholders. */
export function compileTemplates(
  schema: object,
  params: unknown,
  pointer: string,
  rules: Rules,
): { fill?: FillParams; asks: string[]; errors: FieldError[] } {
  const errors: FieldError[] = [];
  const asks: string[] = [];
  const fill = compileNode(schema, params, pointer, { rules, errors, asks });
  if (!fill) return { errors, asks };
  return {
    errors,
    asks,
    fill(order, facts) {
      const filling: Filling = { record: presentWith(order, facts), now: new Date(facts.now) };
      const filled = fill(filling);
      return filling.refusal ?? { params: filled };
    },
  };
}

type Job = { rules: Rules; errors: FieldError[]; asks: string[] };

/** Undefined: the value is the same for every order. */
function compileNode(schema: Node, value: unknown, pointer: string, job: Job): Fill | undefined {
  const kind = schema[keyword];
  if (typeof value === "string") return kind && compileText(value, kind, pointer, job);
  if (typeof value !== "object" || value === null) return undefined;
  const schemaOf = (name: string): Node | undefined =>
    kind === "all" ? schema : Array.isArray(value) ? schema.items : schema.properties?.[name];
  const fills = Object.entries(value).flatMap(([name, member]): [string, Fill][] => {
    const inner = schemaOf(name);
    const fill = inner && compileNode(inner, member, `${pointer}/${name}`, job);
    return fill ? [[name, fill]] : [];
  });
  if (fills.length === 0) return undefined;
  return (filling) => {
    const filled = fills.map(([name, fill]) => [name, fill(filling)]);
    if (!Array.isArray(value)) return { ...value, ...Object.fromEntries(filled) };
    const list = Object.assign([...(value as unknown[])], Object.fromEntries(filled));
    // Two placeholders can result in the same tag.
    return schema.uniqueItems ? [...new Set(list)] : list;
  };
}

function compileText(
  text: string,
  kind: TemplateKind,
  pointer: string,
  { rules, errors, asks }: Job,
): Fill | undefined {
  const isLenient = kind === "all";
  const keepsType = kind === "value" || isLenient;
  const template = compileRecordTemplate(text, { name: "order", keepsType, isLenient });
  if (!template) return undefined;
  if (Array.isArray(template)) {
    errors.push(...template.map((message) => ({ pointer, code: "template", message })));
    return undefined;
  }
  asks.push(...template.asks);
  for (const path of template.asks) {
    const mistake = pathMistake(path, rules);
    if (mistake) errors.push({ pointer, ...mistake });
  }
  return (filling) => fillText(template, filling, kind);
}

/** A copy in which all texts can stand in HTML. */
function escapeWithin(value: unknown): unknown {
  if (typeof value === "string") return escapeHtml(value);
  if (Array.isArray(value)) return value.map(escapeWithin);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, escapeWithin(member)]));
}

function fillText(template: RecordTemplate, filling: Filling, kind: TemplateKind): unknown {
  const isLenient = kind === "all";
  // Names and notes come from customers: their characters must not become tags.
  const record = kind === "html" ? (filling.escaped ??= escapeWithin(filling.record)) : filling.record;
  const filled = template.fill(record, filling.now);
  if ("fault" in filled) {
    const fix = "Use a path to a single value, such as {{lines[0].sku}}.";
    filling.refusal ??= refuse("template_not_text", `A placeholder cannot be filled in: ${filled.fault}`, fix);
    return undefined;
  }
  const { value } = filled;
  if (isLenient) return value ?? null;
  if (typeof value === "string" ? value.trim() !== "" : value !== undefined) return value;
  const message = `The order has no value for ${template.asks.join(", ")}.`;
  filling.refusal ??= refuse("template_empty", message, "Add a `when` to the step to skip such orders.");
  return undefined;
}
