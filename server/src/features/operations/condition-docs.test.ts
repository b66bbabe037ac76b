import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { operators } from "../../core/condition-shape.ts";
import { compileCondition } from "../../core/conditions.ts";
import { codeBlocks } from "../../testing/code-blocks.ts";
import { askedFields } from "../orders/orders.ts";

const page = readFileSync(new URL("../../../../docs/conditions.md", import.meta.url), "utf8");

type Example = { order?: object; when: unknown; holds?: boolean; refused?: string; suggestion?: string };

test.each(codeBlocks(page, "json condition"))(
  "the example of docs/conditions.md in line $line is true",
  ({ block }) => {
    const { order, when, holds, refused, suggestion } = block as Example;
    const compiled = compileCondition(when, () => undefined, "", { fields: askedFields });
    if (typeof compiled === "function") expect(compiled(order)).toBe(holds);
    else expect(compiled).toMatchObject([{ pointer: refused, ...(suggestion === undefined ? {} : { suggestion }) }]);
  },
);

test("docs/conditions.md describes every operator", () => {
  expect(operators.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
