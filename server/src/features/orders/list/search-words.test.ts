import fc from "fast-check";
import { expect, test } from "vitest";
import { startTestHub } from "../../../testing/test-hub.ts";
import { indexWords, scopeWord, toSearchWords } from "./search-words.ts";

const hub = await startTestHub();
const orgId = "01890000-0000-7000-8000-00000000abcd";

/** Both ways in which orders are searched have to agree: by the words in an order, and by the table of words. */
async function isFound(text: string, search: string): Promise<boolean> {
  const wanted = toSearchWords(orgId, search);
  if (wanted === undefined) return false;
  const words = indexWords([text]);
  const [row] = await hub.world.db.query<{ in_order: boolean; in_table: boolean }>(
    `select array_to_tsvector($1::text[]) @@ $2::tsquery as in_order,
            not exists (select from unnest($4::text[], $5::text[]) as w (low, high) where not exists (
              select from unnest($3::text[]) as x (word)
               where x.word collate "C" >= w.low and (w.high is null or x.word collate "C" < w.high))) as in_table`,
    [
      words.map((word) => scopeWord(orgId, word)),
      wanted.map(({ term }) => term).join(" & "),
      words,
      wanted.map(({ from }) => from),
      wanted.map(({ until }) => until ?? null),
    ],
  );
  expect(row!.in_table).toBe(row!.in_order);
  return row!.in_order;
}

const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 30 }),
  fc
    .array(fc.constantFrom("so", "-", "1042", "'", "\\", ":", "*", "&", " ", "É", "ß", "@", "!", "("), {
      maxLength: 12,
    })
    .map((parts) => parts.join("")),
);

test("as many words as there may be fit into an order; parts of them are left out first", async () => {
  const skuOf = (i: number): string =>
    Array.from({ length: 33 }, (_, j) =>
      String.fromCodePoint(0x4e_00 + ((i * 37 + j * 101) % 20_000), 0x4e_00 + i),
    ).join("-");
  const skus = Array.from({ length: 1_000 }, (_, i) => skuOf(i));
  const words = indexWords(skus);
  await hub.world.db.query("select array_to_tsvector($1::text[])", [words.map((word) => scopeWord(orgId, word))]);
  for (const sku of skus) expect(words.some((word) => word.startsWith(sku))).toBe(true);
});

test("whatever is in a text finds it, whole or by the beginning of any of its words", async () => {
  await fc.assert(
    fc.asyncProperty(text, fc.nat(), async (given, cut) => {
      const clean = given.replaceAll("\u0000", "").toWellFormed();
      fc.pre(toSearchWords(orgId, clean) !== undefined);
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

test("whatever is not in a text is found in neither way, or in both", async () => {
  const last = String.fromCodePoint(0x10_ff_ff);
  const edges = fc.constantFrom("a", "ab", "b", `a${last}`, `a${last}b`, "a\ud7ff", "a\ue000", "zz", "z");
  await fc.assert(
    fc.asyncProperty(fc.array(edges, { minLength: 1, maxLength: 4 }), edges, async (words, search) => {
      const isIn = words.some((word) => word.startsWith(search.replace(/[^\p{L}\p{N}]+$/u, "")));
      expect(await isFound(words.join(" "), search)).toBe(isIn);
    }),
    { numRuns: 100 },
  );
});

test("words of one organization are not those of another", () => {
  const other = "01890000-0000-7000-8000-00000000abce";
  expect(scopeWord(orgId, "mug")).not.toBe(scopeWord(other, "mug"));
});
