import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { conditionKinds, operators } from "../../core/condition-shape.ts";
import { compileCondition } from "../../core/conditions.ts";
import { codeBlocks } from "../../testing/code-blocks.ts";
import { defaultWorkingDays } from "../../core/working-days.ts";
import { askedFields } from "../orders/orders.ts";

const page = readFileSync(new URL("../../../../docs/conditions.md", import.meta.url), "utf8");
const calendar = { timezone: "UTC", workingDays: defaultWorkingDays, holidays: new Set<string>(), cutoffTime: null };

type Example = { now?: string; order?: object; when: unknown; holds?: boolean; refused?: string; suggestion?: string };

test.each(codeBlocks(page, "json condition"))(
  "the example of docs/conditions.md in line $line is true",
  ({ block }) => {
    const { now = "2026-03-02T09:00:00Z", order, when, holds, refused, suggestion } = block as Example;
    const compiled = compileCondition(when, () => undefined, "", { fields: askedFields, calendar });
    if (typeof compiled === "function") expect(compiled(order, new Date(now))).toBe(holds);
    else expect(compiled).toMatchObject([{ pointer: refused, ...(suggestion === undefined ? {} : { suggestion }) }]);
  },
);

test("docs/conditions.md describes every form and every operator", () => {
  expect(operators.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  expect(conditionKinds.filter((name) => !page.includes(`\`{${name}`))).toEqual([]);
});
