import fc from "fast-check";
import { expect, test } from "vitest";
import { startTestHub } from "../../../testing/test-hub.ts";
import { indexWords, toSearchQuery } from "./search-words.ts";

const hub = await startTestHub();
const orgId = "01890000-0000-7000-8000-00000000abcd";

async function isFound(text: string, search: string): Promise<boolean> {
  const [row] = await hub.world.db.query<{ found: boolean }>(
    "select array_to_tsvector($1::text[]) @@ $2::tsquery as found",
    [indexWords(orgId, { o: [text], p: [] }), toSearchQuery(orgId, search, false)],
  );
  return row!.found;
}

const parts = ["so", "-", "1042", "'", "’", "\\", ":", "*", "&", " ", "É", "ß", "Ø", "@", "!", "(", "abcdefghij"];
const pieces = fc.array(fc.constantFrom(...parts), { maxLength: 12 }).map((some) => some.join(""));

test("an order stores the maximum number of words; parts of words are dropped first", async () => {
  const skuOf = (i: number): string =>
    Array.from({ length: 33 }, (_, j) =>
      String.fromCodePoint(0x4e_00 + ((i * 37 + j * 101) % 20_000), 0x4e_00 + i),
    ).join("-");
  const skus = Array.from({ length: 1_000 }, (_, i) => skuOf(i));
  const words = indexWords(orgId, { o: skus, p: ["Ada"] });
  await hub.world.db.query("select array_to_tsvector($1::text[])", [words]);
  for (const sku of skus) expect(words).toContain(`abcdo${sku.slice(0, 100)}`);
  expect(words).toContain("abcdpada");
});

test("every text is found whole or by the beginning of any of its words", async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.string({ unit: "grapheme", maxLength: 30 }), pieces), fc.nat(), async (given, at) => {
      const clean = given.replaceAll("\u0000", "").toWellFormed();
      fc.pre(toSearchQuery(orgId, clean, false) !== "");
      expect(await isFound(clean, clean)).toBe(true);
      const words = clean.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
      fc.pre(words.length > 0);
      expect(await isFound(clean, words[at % words.length]!.normalize("NFD").toUpperCase())).toBe(true);
    }),
    { numRuns: 200 },
  );
});

test("stored and searched characters are folded in the same way", () => {
  const differing: string[] = [];
  for (let code = 1; code <= 0x10_ff_ff; code++) {
    const typed = String.fromCodePoint(code);
    const apart = typed.normalize("NFD");
    for (const form of [apart, apart.toUpperCase(), apart.toLowerCase()]) {
      if (form === typed || !typed.isWellFormed()) continue;
      const [stored, wanted] = [typed, form].map((some) => toSearchQuery(orgId, `a${some}b`, false));
      if (stored !== wanted) differing.push(`${code.toString(16)} ${typed} ${form}`);
    }
  }
  expect(differing).toEqual([]);
});

/** Letters are more than the three and fewer than the eight that beginnings are stored of, and fewer, and more. */
const tokens = fc.array(fc.constantFrom("a", "ab", "abcde", "abcdefghi", "b", "-", "-", " "), { maxLength: 8 });

test("a text is found by the beginnings of its words and of their parts, and by nothing else", async () => {
  const text = tokens.map((some) => some.join(""));
  const search = text.filter((some) => /^\w([\w-]*\w)?$/.test(some));
  await fc.assert(
    fc.asyncProperty(text, search, async (given, wanted) => {
      const words = given.split(" ").map((word) => word.replaceAll(/^-+|-+$/g, ""));
      const tails = words.flatMap((word) => Array.from(word.matchAll(/(?<=-)\w\w/g), ({ index }) => word.slice(index)));
      const isIn = [...words, ...tails].some((word) => word.startsWith(wanted));
      expect(await isFound(given, wanted)).toBe(isIn);
    }),
    { numRuns: 300 },
  );
});

test.each([
  ["Øystein Sørås", "oystein soras"],
  ["Łódź", "lodz"],
  ["Hauptstraße 5", "HAUPTSTRASSE"],
  ["ẞ-Bahn", "ss"],
  ["Þór Æsir", "thor aesir"],
  ["Cœur ﬁn", "coeur fin"],
  ["O’Brien", "o'brien"],
  ["O'Brien", "obrien"],
  ["O´Brien", "O‘Brien"],
  ["OBrien", "o'brien"],
  ["d’Artagnan", "artagnan"],
  ["Дмитрий", "дМИТ"],
])("%s is found by %s", async (text, search) => {
  expect(await isFound(text, search)).toBe(true);
});

test.each([
  ["DEMO-10186", "0186", true],
  ["DEMO-10186", "186", true],
  ["DEMO-10186", "018", true],
  ["DEMO-10186", "86", false],
  ["DEMO-10186", "187", false],
  ["4711#90210X", "021", true],
  ["4711#90210X", "711", true],
  ["4711#90210X", "1190", false],
])("in the number %s, %s is found: %s", async (number, search, isExpected) => {
  const [row] = await hub.world.db.query<{ found: boolean }>(
    "select array_to_tsvector($1::text[]) @@ $2::tsquery as found",
    [indexWords(orgId, { o: [], p: [], n: [number] }), toSearchQuery(orgId, search, false)],
  );
  expect(row!.found).toBe(isExpected);
});

test("words that are personal data are found only with pii:read", async () => {
  const words = indexWords(orgId, { o: ["Albany"], p: ["ann30@mail.example"] });
  const [row] = await hub.world.db.query<{ viewer: boolean; reader: boolean; place: boolean }>(
    "select w @@ $2::tsquery as viewer, w @@ $3::tsquery as reader, w @@ $4::tsquery as place from array_to_tsvector($1::text[]) as w",
    [
      words,
      toSearchQuery(orgId, "ann30", false),
      toSearchQuery(orgId, "ann30 alb", true),
      toSearchQuery(orgId, "alb", false),
    ],
  );
  expect(row).toEqual({ viewer: false, reader: true, place: true });
});

test("words of one organization are not found by another", () => {
  const other = "01890000-0000-7000-8000-00000000abce";
  const [mine, theirs] = [orgId, other].map((id) => new Set(indexWords(id, { o: ["mug"], p: ["ada"] })));
  expect(mine!.isDisjointFrom(theirs!)).toBe(true);
});
