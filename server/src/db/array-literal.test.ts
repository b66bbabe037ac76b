import fc from "fast-check";
import { expect, test } from "vitest";
import { startTestHub } from "../testing/test-hub.ts";
import { arrayLiteral } from "./array-literal.ts";

const hub = await startTestHub();

test("PostgreSQL reads any list back unchanged", async () => {
  const odd = fc.constantFrom(
    "",
    "null",
    "NULL",
    "Null",
    " ",
    "{}",
    "{a}",
    ",",
    '"',
    "\\",
    '\\"',
    "a b",
    "é",
    "\n",
    "-",
    "0",
  );
  const texts = fc.array(fc.oneof(odd, fc.string({ unit: "grapheme" }), fc.constant(null)), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(texts, fc.array(fc.option(fc.maxSafeInteger())), async (some, numbers) => {
      const list = some.map((one) => one?.replaceAll("\u0000", "").toWellFormed() ?? null);
      const [row] = await hub.world.db.query<{ texts: string[]; numbers: number[] }>(
        "select $1::text[] as texts, $2::bigint[]::text[] as numbers",
        [arrayLiteral(list), arrayLiteral(numbers)],
      );
      expect(row).toEqual({ texts: list, numbers: numbers.map((one) => one?.toString() ?? null) });
    }),
  );
});
