import type { FieldError } from "../../core/errors.ts";
import type { ConditionRules } from "../../core/conditions.ts";
import { pathMistake } from "../../core/conditions.ts";
import type { Order } from "../orders/order.ts";
import { presentToConditions } from "../orders/order.ts";
import type { RecordTemplate } from "../transformations/transformations.ts";
import { compileRecordTemplate } from "../transformations/transformations.ts";
import type { Refusal } from "./action.ts";
import { refuse } from "./action.ts";

/**
 * Params with this keyword are templates filled in from each order: `{{number}}` or `{{order.number}}`, with the grammar of mapping
 * templates. `text`: the result is a string; `value`: a single placeholder keeps its type; `all`: every string within, where missing
 * values become null or blank.
 */
type TemplateKind = "text" | "value" | "all";
const keyword = "x-template";

export function filledIn<Schema extends object>(schema: Schema, kind: TemplateKind = "text"): Schema {
  return { ...schema, [keyword]: kind };
}

export function filledInTags<Tags extends { items: object }>(tags: Tags): Tags {
  return { ...tags, items: filledIn(tags.items) };
}

export type FillParams = (order: Order, now: string) => { params: unknown } | Refusal;

type Filling = { record: object; now: Date; refusal?: Refusal };
type Fill = (filling: Filling) => unknown;
type Rules = Pick<ConditionRules, "fields" | "refusal">;
type Node = { properties?: Record<string, Node>; items?: Node; uniqueItems?: boolean; [keyword]?: TemplateKind };

/** Finds and checks the templates in params. `fill` is undefined if there are none. */
export function compileTemplates(
  schema: object,
  params: unknown,
  pointer: string,
  rules: Rules,
): { fill?: FillParams; errors: FieldError[] } {
  const errors: FieldError[] = [];
  const fill = compileNode(schema, params, pointer, { rules, errors });
  if (!fill) return { errors };
  return {
    errors,
    fill(order, now) {
      const filling: Filling = { record: presentToConditions(order), now: new Date(now) };
      const filled = fill(filling);
      return filling.refusal ?? { params: filled };
    },
  };
}

type Job = { rules: Rules; errors: FieldError[] };

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

function compileText(text: string, kind: TemplateKind, pointer: string, { rules, errors }: Job): Fill | undefined {
  const isLenient = kind === "all";
  const template = compileRecordTemplate(text, { name: "order", keepsType: kind !== "text", isLenient });
  if (!template) return undefined;
  if (Array.isArray(template)) {
    errors.push(...template.map((message) => ({ pointer, code: "template", message })));
    return undefined;
  }
  for (const path of template.asks) {
    const mistake = pathMistake(path, rules);
    if (mistake) errors.push({ pointer, ...mistake });
  }
  return (filling) => fillText(template, filling, isLenient);
}

function fillText(template: RecordTemplate, filling: Filling, isLenient: boolean): unknown {
  const filled = template.fill(filling.record, filling.now);
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
