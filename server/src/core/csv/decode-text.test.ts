import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeText, encodingOf } from "./decode-text.ts";

const text = "Order Number,Name\nA-1,Jörg Müller – Café €5\n";

function utf16(content: string, order: "le" | "be"): Buffer {
  const bytes = Buffer.from(content, "utf16le");
  return order === "le" ? bytes : bytes.swap16();
}

test("a file is read in its encoding, with or without a byte order mark", () => {
  const windows = Buffer.from(text.replace("–", "\u0096").replace("€", "\u0080"), "latin1");
  expect(decodeText(windows)).toEqual({ text, encoding: "windows-1252" });
  expect(decodeText(Buffer.from(text))).toEqual({ text, encoding: "utf-8" });
  expect(decodeText(Buffer.from(`\uFEFF${text}`))).toEqual({ text, encoding: "utf-8" });
  for (const order of ["le", "be"] as const) {
    expect(decodeText(utf16(text, order))).toEqual({ text, encoding: `utf-16${order}` });
    expect(decodeText(utf16(`\uFEFF${text}`, order))).toEqual({ text, encoding: `utf-16${order}` });
  }
});

test("any UTF-8 text is read unchanged", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), (content) => {
      const plain = content.replaceAll("\0", "").replace(/^\uFEFF+/, "");
      expect(decodeText(Buffer.from(plain)).text).toBe(plain);
    }),
  );
});

test("a declared encoding wins over detection", () => {
  expect(decodeText(Buffer.from("é"), "windows-1252").text).toBe("Ã©");
  expect(encodingOf("ISO-8859-1")).toBe("windows-1252");
  expect(encodingOf("shift_jis")).toBeUndefined();
});
