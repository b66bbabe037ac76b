import fc from "fast-check";
import { expect, test } from "vitest";
import { startTestHub } from "../../testing/test-hub.ts";
import { indexWords, scopeWord, toWordQuery } from "./search-words.ts";

const hub = await startTestHub();
const orgId = "01890000-0000-7000-8000-00000000abcd";

async function isFound(text: string, search: string): Promise<boolean> {
  const query = toWordQuery(orgId, search);
  if (query === undefined) return false;
  const words = indexWords([text]).map((word) => scopeWord(orgId, word));
  const [row] = await hub.world.db.query<{ found: boolean }>(
    "select array_to_tsvector($1::text[]) @@ $2::tsquery as found",
    [words, query.others === undefined ? query.rarest : `${query.rarest} & ${query.others}`],
  );
  return row!.found;
}

const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 30 }),
  fc
    .array(fc.constantFrom("so", "-", "1042", "'", "\\", ":", "*", "&", " ", "É", "ß", "@", "!", "("), {
      maxLength: 12,
    })
    .map((parts) => parts.join("")),
);

test("whatever is in a text finds it, whole or by the beginning of any of its words", async () => {
  await fc.assert(
    fc.asyncProperty(text, fc.nat(), async (given, cut) => {
      const clean = given.replaceAll("\u0000", "").toWellFormed();
      fc.pre(toWordQuery(orgId, clean) !== undefined);
      expect(await isFound(clean, clean)).toBe(true);
      const words = clean.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
      fc.pre(words.length > 0);
      const word = words[cut % words.length]!;
      const folded = word.normalize("NFKD").toUpperCase();
      expect(await isFound(clean, folded)).toBe(true);
    }),
    { numRuns: 200 },
  );
});

test("words of one organization are not those of another", () => {
  const other = "01890000-0000-7000-8000-00000000abce";
  expect(scopeWord(orgId, "mug")).not.toBe(scopeWord(other, "mug"));
});
