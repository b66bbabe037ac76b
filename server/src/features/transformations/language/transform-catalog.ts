import { guardTransform } from "./guard-transform.ts";
import type { TransformDefinition } from "./transform.ts";
import { transformPlugins } from "./transform-plugins.ts";
import { logicTransforms } from "./transforms/logic-transforms.ts";
import { encodingTransforms } from "./transforms/encoding-transforms.ts";
import { dateTransforms } from "./transforms/date-transforms.ts";
import { listTransforms } from "./transforms/list-transforms.ts";
import { numberTransforms } from "./transforms/number-transforms.ts";
import { patternTransforms } from "./transforms/pattern-transforms.ts";
import { textTransforms } from "./transforms/text-transforms.ts";
import { commerceTransforms } from "./transforms/commerce-transforms.ts";

const groups: Record<string, readonly TransformDefinition[]> = {
  text: [...textTransforms, ...patternTransforms],
  number: numberTransforms,
  list: listTransforms,
  logic: logicTransforms,
  date: dateTransforms,
  commerce: commerceTransforms,
  encoding: encodingTransforms,
  plugin: transformPlugins.parts().map(guardTransform),
};

/** All transforms. A new one is an entry in its group; the example is its test. */
export const transformCatalog: readonly (TransformDefinition & { group: string })[] = Object.entries(groups).flatMap(
  ([group, transforms]) => transforms.map((transform) => ({ ...transform, group })),
);

export const transformsByName: ReadonlyMap<string, TransformDefinition> = new Map(
  transformCatalog.map((transform) => [transform.name, transform]),
);

/** Names of other tools for the same transforms. */
export const transformAliases: Readonly<Record<string, string>> = {
  map_value: "lookup",
  uppercase: "upper",
  lowercase: "lower",
  to_string: "string",
  to_number: "number",
  to_boolean: "boolean",
  capitalise: "capitalize",
};
