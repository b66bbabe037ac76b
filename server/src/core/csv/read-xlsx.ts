import type { UnzipFile } from "fflate";
import { Unzip, UnzipInflate } from "fflate";
import { toCsv } from "./csv.ts";

/** What cannot be read as a workbook, in words for whoever has sent it. */
export class MalformedXlsx extends Error {}

export type XlsxLimits = {
  /** Of all parts that are looked at, once they are inflated: a few bytes can hold gigabytes. */
  maxInflatedBytes: number;
  maxRows: number;
  maxColumns: number;
};

const usual: XlsxLimits = { maxInflatedBytes: 128 * 1024 * 1024, maxRows: 200_001, maxColumns: 1_000 };

/** Whether these bytes are a zip file, which is what a workbook is. */
export function isZip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3 && bytes[3] === 4;
}

/**
 * The first sheet of a workbook as CSV, row for row, so that all that reads CSV reads it. Only the parts that are needed are
 * inflated, and no more of them than allowed. Days are written as 2026-12-31.
 */
export function xlsxToCsv(bytes: Uint8Array, limits: Partial<XlsxLimits> = {}): string {
  const bounds = { ...usual, ...limits };
  const parts = inflateParts(bytes, bounds.maxInflatedBytes);
  const workbook = parts.get("xl/workbook.xml");
  if (workbook === undefined) throw new MalformedXlsx("It is no XLSX workbook.");
  const sheet = parts.get(firstSheet(workbook, parts.get("xl/_rels/workbook.xml.rels") ?? ""));
  if (sheet === undefined) throw new MalformedXlsx("Its first sheet is missing.");
  const texts = readTexts(parts.get("xl/sharedStrings.xml") ?? "");
  const isDay = readDayStyles(parts.get("xl/styles.xml") ?? "");
  const offsetDays = /\sdate1904="(?:1|true)"/.test(workbook) ? 1_462 : 0;
  return toCsv(readRows(sheet, { texts, isDay, offsetDays, bounds }));
}

const needed = /^xl\/(workbook\.xml|_rels\/workbook\.xml\.rels|sharedStrings\.xml|styles\.xml|worksheets\/[^/]+\.xml)$/;

/** Synchronously, in pieces: as soon as there is more than allowed, no more is inflated. */
function inflateParts(bytes: Uint8Array, maxBytes: number): Map<string, string> {
  const parts = new Map<string, string>();
  let left = maxBytes;
  let failure: Error | undefined;
  const unzip = new Unzip((file: UnzipFile) => {
    const name = file.name.replace(/^\//, "");
    if (!needed.test(name) || failure) return;
    const decoder = new TextDecoder();
    const pieces: string[] = [];
    file.ondata = (error, data, isLast) => {
      if (error) failure ??= error;
      left -= data?.length ?? 0;
      if (left < 0)
        failure ??= new MalformedXlsx(`Unpacked it has more than ${Math.floor(maxBytes / 1024 / 1024)} MB.`);
      if (failure) return;
      pieces.push(decoder.decode(data, { stream: !isLast }));
      if (isLast) parts.set(name, pieces.join(""));
    };
    file.start();
  });
  unzip.register(UnzipInflate);
  try {
    for (let from = 0; from < bytes.length && !failure; from += pieceBytes) {
      unzip.push(bytes.subarray(from, from + pieceBytes), from + pieceBytes >= bytes.length);
    }
  } catch (error) {
    failure ??= error as Error;
  }
  if (failure) throw failure instanceof MalformedXlsx ? failure : new MalformedXlsx("It cannot be unpacked.");
  return parts;
}

const pieceBytes = 64 * 1024;

/** `from`, `to`: where it lies. */
type Element = { attributes: string; inner: string; from: number; to: number };

/**
 * The elements of this name, with whatever prefix, outside of each other. Each character is looked at once: what is not
 * closed is refused, and not looked for again and again.
 */
function* elementsIn(xml: string, name: string, isWhole = true): Generator<Element> {
  const opening = new RegExp(`<((?:\\w+:)?${name})(?=[\\s/>])`, "g");
  for (let found = opening.exec(xml); found; found = opening.exec(xml)) {
    const end = xml.indexOf(">", opening.lastIndex);
    if (end === -1) throw new MalformedXlsx("A part of it is cut off.");
    const attributes = xml.slice(opening.lastIndex, end);
    const isEmpty = !isWhole || attributes.endsWith("/");
    const close = isEmpty ? end : xml.indexOf(`</${found[1]}>`, end);
    if (close === -1) throw new MalformedXlsx("A part of it is cut off.");
    const to = isEmpty ? end + 1 : close + found[1]!.length + 3;
    yield { attributes, inner: isEmpty ? "" : xml.slice(end + 1, close), from: found.index, to };
    opening.lastIndex = to;
  }
}

const attributePatterns = new Map<string, RegExp>();

function attribute(attributes: string, name: string): string | undefined {
  let pattern = attributePatterns.get(name);
  if (!pattern) attributePatterns.set(name, (pattern = new RegExp(`\\s(?:\\w+:)?${name}="([^"]*)"`)));
  const found = pattern.exec(attributes)?.[1];
  return found === undefined ? undefined : unescapeXml(found);
}

/** By its place in the workbook, not by its file name, which says nothing. */
function firstSheet(workbook: string, links: string): string {
  const [sheet] = elementsIn(workbook, "sheet", false);
  // The id in the workbook is another one than the number that is called sheetId.
  const id = /\s\w+:id="([^"]*)"/.exec(sheet?.attributes ?? "")?.[1];
  const link = [...elementsIn(links, "Relationship", false)].find(
    ({ attributes }) => attribute(attributes, "Id") === id,
  );
  const target = (link && attribute(link.attributes, "Target")) ?? "worksheets/sheet1.xml";
  return target.startsWith("/") ? target.slice(1) : `xl/${target}`;
}

const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function unescapeXml(text: string): string {
  if (!text.includes("&")) return text;
  return text.replaceAll(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w+));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return entities[name as string] ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex as string, 16);
    return code <= 0x10_ff_ff ? String.fromCodePoint(code) : "";
  });
}

/** `_x000D_` is how what XML cannot hold is written. */
function plainText(inner: string): string {
  let text = "";
  for (const run of elementsIn(withoutReadings(inner), "t")) text += run.inner;
  return unescapeXml(text).replaceAll(/_x([0-9A-F]{4})_/g, (_, hex: string) =>
    String.fromCodePoint(Number.parseInt(hex, 16)),
  );
}

/** How a text is pronounced is not part of it. */
function withoutReadings(inner: string): string {
  let rest = "";
  let at = 0;
  for (const { from, to } of elementsIn(inner, "rPh")) {
    rest += inner.slice(at, from);
    at = to;
  }
  return rest + inner.slice(at);
}

function readTexts(shared: string): string[] {
  return Array.from(elementsIn(shared, "si"), ({ inner }) => plainText(inner));
}

/** Which styles of cells are forms of dates. */
function readDayStyles(styles: string): (style: number) => boolean {
  const forms = new Map(
    Array.from(elementsIn(styles, "numFmt", false), ({ attributes }) => [
      Number(attribute(attributes, "numFmtId")),
      attribute(attributes, "formatCode") ?? "",
    ]),
  );
  const isDate = (id: number): boolean => {
    const form = forms.get(id)?.replaceAll(/"[^"]*"|\[[^\]]*\]|\\./g, "");
    return form === undefined ? (id >= 14 && id <= 22) || (id >= 45 && id <= 47) : /[ymdhs]/i.test(form);
  };
  const [cells] = elementsIn(styles, "cellXfs");
  const known = Array.from(elementsIn(cells?.inner ?? "", "xf", false), ({ attributes }) =>
    isDate(Number(attribute(attributes, "numFmtId") ?? 0)),
  );
  return (style) => known[style] ?? false;
}

type Reading = { texts: string[]; isDay(style: number): boolean; offsetDays: number; bounds: XlsxLimits };

/** Rows and cells may say where they are; those that do not come after the last one. */
function readRows(sheet: string, reading: Reading): string[][] {
  const { maxRows, maxColumns } = reading.bounds;
  const rows: string[][] = [];
  for (const { attributes, inner } of elementsIn(sheet, "row")) {
    const place = Number(attribute(attributes, "r") ?? rows.length + 1);
    if (!(place > rows.length) || place > maxRows) throw tooMany(`rows; at most ${maxRows}`);
    while (rows.length < place - 1) rows.push([]);
    const cells: string[] = [];
    for (const { attributes: about, inner: content } of elementsIn(inner, "c")) {
      const column = columnOf(attribute(about, "r")) ?? cells.length;
      if (column >= maxColumns) throw tooMany(`columns; at most ${maxColumns}`);
      while (cells.length < column) cells.push("");
      cells[column] = textOf(about, content, reading);
    }
    rows.push(cells);
  }
  return rows;
}

function tooMany(what: string): MalformedXlsx {
  return new MalformedXlsx(`Its first sheet has too many ${what} are read.`);
}

/** AB7 is in the column 27, as one counts from 0. */
function columnOf(place: string | undefined): number | undefined {
  const letters = /^([A-Z]{1,3})\d*$/.exec(place ?? "")?.[1];
  if (letters === undefined) return undefined;
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return column - 1;
}

function textOf(about: string, content: string, { texts, isDay, offsetDays }: Reading): string {
  const type = attribute(about, "t") ?? "n";
  if (type === "inlineStr") return plainText(content);
  const value = unescapeXml(/<(?:\w+:)?v(?:\s[^>]*)?>([^<]*)</.exec(content)?.[1] ?? "");
  if (value === "" || type === "e") return "";
  if (type === "s") return texts[Number(value)] ?? "";
  if (type === "b") return value === "1" ? "true" : "false";
  if (type !== "n") return value;
  return isDay(Number(attribute(about, "s") ?? 0)) ? writeDay(Number(value) + offsetDays, value) : writeNumber(value);
}

const dayMs = 86_400_000;
const dayZero = Date.UTC(1899, 11, 30);

/** Days since the end of 1899, with the time as a part of a day. */
function writeDay(days: number, otherwise: string): string {
  if (!Number.isFinite(days) || days < 1 || days >= 2_958_466) return otherwise;
  const at = new Date(dayZero + Math.round(days * 86_400) * 1_000).toISOString();
  return days * dayMs === Math.floor(days) * dayMs ? at.slice(0, 10) : at;
}

/** 13.2 may be written as 13.199999999999999, and 1E-3 is a number too. */
function writeNumber(text: string): string {
  const number = Number(text);
  if (!Number.isFinite(number) || /^-?\d{1,15}$/.test(text)) return text;
  const short = Number(number.toPrecision(15));
  return short.toLocaleString("en-US", { useGrouping: false, maximumFractionDigits: 20 });
}
