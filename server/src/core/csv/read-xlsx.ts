import { toCsv } from "./csv.ts";
import type { ChargeBudget, XmlTags } from "./read-xml.ts";
import { MalformedXml, readXml } from "./read-xml.ts";
import { MalformedZip, openZip } from "./read-zip.ts";

/** The file is not a readable workbook, or exceeds a limit. The message is shown to the sender. */
export class MalformedXlsx extends Error {}

export type XlsxLimits = {
  /** Inflated size of all parts together: a few compressed bytes can hold gigabytes. */
  maxInflatedBytes: number;
  /** Size of the CSV: a short cell can refer to a long text, and one far to the right adds a thousand empty cells. */
  maxCharacters: number;
  /** Characters read in all parts together: a limit that does not depend on the speed of the machine. */
  maxSteps: number;
  maxRows: number;
  maxColumns: number;
};

const defaults: XlsxLimits = {
  maxInflatedBytes: 128 * 1024 * 1024,
  maxCharacters: 64 * 1024 * 1024,
  maxSteps: 1024 * 1024 * 1024,
  maxRows: 200_001,
  maxColumns: 1_000,
};

/** Whether the file is a zip archive, as workbooks are. */
export function isZip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3 && bytes[3] === 4;
}

/**
 * Converts the first sheet of a workbook to CSV, row for row, so that it is imported as CSV. Only the needed parts are inflated,
 * up to the limits. Dates become 2026-12-31. `onSteps` receives the number of characters read.
 */
export function xlsxToCsv(
  bytes: Uint8Array,
  limits: Partial<XlsxLimits> = {},
  onSteps: (steps: number) => void = () => {},
): string {
  const bounds = { ...defaults, ...limits };
  let steps = 0;
  const charge: ChargeBudget = (more) => {
    steps += more;
    if (steps > bounds.maxSteps) throw new MalformedXlsx("The workbook is too complex; split it, or save it as CSV.");
  };
  try {
    return readWorkbook(bytes, bounds, charge);
  } catch (error) {
    const isKnown = error instanceof MalformedZip || error instanceof MalformedXml;
    throw isKnown ? new MalformedXlsx(error.message) : error;
  } finally {
    onSteps(steps);
  }
}

type Bounds = XlsxLimits;

function readWorkbook(bytes: Uint8Array, bounds: Bounds, charge: ChargeBudget): string {
  const files = openZip(bytes, bounds.maxInflatedBytes);
  const partOf = (name: string): XmlTags | undefined => {
    const part = files.read(name);
    return part && readXml(new TextDecoder().decode(part), charge);
  };
  const workbook = partOf("xl/workbook.xml");
  if (workbook === undefined) throw new MalformedXlsx("The file is not an XLSX workbook.");
  const { sheetId, hasDaysOf1904 } = readSettings(workbook);
  const sheet = partOf(sheetPath(sheetId, partOf("xl/_rels/workbook.xml.rels")));
  if (sheet === undefined) throw new MalformedXlsx("The first sheet of the workbook is missing.");
  const texts = readTexts(partOf("xl/sharedStrings.xml"));
  const isDay = readDayStyles(partOf("xl/styles.xml"));
  return writeRows(sheet, { texts, isDay, offsetDays: hasDaysOf1904 ? 1_462 : 0, bounds, charge });
}

function readSettings(tags: XmlTags): { sheetId: string | undefined; hasDaysOf1904: boolean } {
  let hasDaysOf1904 = false;
  while (tags.next()) {
    if (!tags.isStart) continue;
    if (tags.name === "workbookPr") hasDaysOf1904 = /^(?:1|true)$/.test(tags.attribute("date1904") ?? "");
    // The relationship ID of a sheet is not its sheetId.
    if (tags.name === "sheet") return { sheetId: tags.attribute("id"), hasDaysOf1904 };
  }
  return { sheetId: undefined, hasDaysOf1904 };
}

/** By its position in the workbook; file names are arbitrary. */
function sheetPath(id: string | undefined, links: XmlTags | undefined): string {
  let target = "worksheets/sheet1.xml";
  while (links?.next()) {
    if (links.name !== "Relationship" || !links.isStart || links.attribute("Id") !== id) continue;
    target = links.attribute("Target") ?? target;
    break;
  }
  return target.startsWith("/") ? target.slice(1) : `xl/${target}`;
}

function readTexts(tags: XmlTags | undefined): string[] {
  const texts: string[] = [];
  while (tags?.next()) if (tags.name === "si" && tags.isStart) texts.push(readText(tags, "si"));
  return texts;
}

/** The text in the current element, without its phonetic reading (`rPh`). */
function readText(tags: XmlTags, element: string): string {
  let text = "";
  let isReading = false;
  while (!(tags.name === element && tags.isEnd)) {
    if (!tags.next()) throw new MalformedXlsx("A part of the workbook is truncated.");
    if (tags.name === "rPh") isReading = tags.isStart && !tags.isEnd;
    else if (tags.name === "t" && tags.isEnd && !tags.isStart && !isReading) text += tags.text;
    else if (tags.name === element && tags.isStart) throw new MalformedXlsx("A part of the workbook is truncated.");
  }
  return withControls(text);
}

/** `_x000D_` encodes a character that XML does not allow. */
function withControls(text: string): string {
  if (!text.includes("_x")) return text;
  return text.replaceAll(/_x([0-9A-F]{4})_/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** The cell styles that are date formats. */
function readDayStyles(tags: XmlTags | undefined): (style: number) => boolean {
  const isDayForm = new Map<number, boolean>();
  const styles: boolean[] = [];
  let list = "";
  while (tags?.next()) {
    const { name, isStart } = tags;
    if (name === "numFmts" || name === "cellXfs") list = isStart && !tags.isEnd ? name : "";
    else if (name === "numFmt" && isStart && list === "numFmts")
      isDayForm.set(Number(tags.attribute("numFmtId")), isDateCode(tags.attribute("formatCode") ?? ""));
    else if (name === "xf" && isStart && list === "cellXfs") {
      const id = Number(tags.attribute("numFmtId") ?? 0);
      styles.push(isDayForm.get(id) ?? ((id >= 14 && id <= 22) || (id >= 45 && id <= 47)));
    }
  }
  return (style) => styles[style] ?? false;
}

/** Maximum length in Excel. */
const longestFormatCode = 255;

/** Whether a format has a date or time part outside of quotes, brackets and escapes. */
function isDateCode(code: string): boolean {
  if (code.length > longestFormatCode) return false;
  for (let at = 0; at < code.length; at++) {
    const sign = code[at]!;
    if (sign === "\\") at++;
    else if (sign === '"' || sign === "[") {
      const close = code.indexOf(sign === "[" ? "]" : '"', at + 1);
      if (close === -1) return false;
      at = close;
    } else if ("ymdhsYMDHS".includes(sign)) return true;
  }
  return false;
}

type Reading = {
  texts: string[];
  isDay(style: number): boolean;
  offsetDays: number;
  bounds: Bounds;
  charge: ChargeBudget;
};

/** Rows and cells have an optional position; without one they follow the previous one. */
function writeRows(tags: XmlTags, reading: Reading): string {
  const { bounds, charge } = reading;
  const { maxRows, maxColumns, maxCharacters } = bounds;
  const lines: string[] = [];
  let characters = 0;
  const write = (cells: string[]): void => {
    const line = toCsv([cells]);
    characters += line.length;
    charge(line.length);
    if (characters > maxCharacters)
      throw new MalformedXlsx(
        `The workbook has more than ${Math.floor(maxCharacters / 1024 / 1024)} million characters as CSV.`,
      );
    lines.push(line);
  };
  let cells: string[] | undefined;
  while (tags.next() && !(tags.name === "sheetData" && tags.isEnd)) {
    const { name, isStart, isEnd } = tags;
    if (name === "row") {
      if (isStart === (cells !== undefined)) throw new MalformedXlsx("A part of the workbook is truncated.");
      if (isStart) {
        const place = Number(tags.attribute("r") ?? lines.length + 1);
        if (!(place > lines.length) || place > maxRows) throw tooMany(`rows; at most ${maxRows}`);
        while (lines.length < place - 1) write([]);
        cells = [];
      }
      if (isEnd) {
        write(cells!);
        cells = undefined;
      }
    } else if (name === "c" && isStart && cells) {
      const column = columnOf(tags.attribute("r")) ?? cells.length;
      if (column >= maxColumns) throw tooMany(`columns; at most ${maxColumns}`);
      while (cells.length < column) cells.push("");
      cells[column] = readCell(tags, reading);
    }
  }
  if (cells) throw new MalformedXlsx("A part of the workbook is truncated.");
  return lines.join("");
}

function tooMany(what: string): MalformedXlsx {
  return new MalformedXlsx(`Its first sheet has too many ${what} are read.`);
}

/** The column index of a reference: 27 for AB7. */
function columnOf(place: string | undefined): number | undefined {
  const letters = /^([A-Z]{1,3})\d*$/.exec(place ?? "")?.[1];
  if (letters === undefined) return undefined;
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return column - 1;
}

/** The value of the current cell. */
function readCell(tags: XmlTags, { texts, isDay, offsetDays }: Reading): string {
  const type = tags.attribute("t") ?? "n";
  const style = Number(tags.attribute("s") ?? 0);
  if (type === "inlineStr") return readText(tags, "c");
  const value = readValue(tags);
  if (value === "" || type === "e") return "";
  if (type === "s") return texts[Number(value)] ?? "";
  if (type === "b") return value === "1" ? "true" : "false";
  if (type !== "n") return value;
  return isDay(style) ? writeDay(Number(value) + offsetDays, value) : writeNumber(value);
}

function readValue(tags: XmlTags): string {
  let value: string | undefined;
  while (!(tags.name === "c" && tags.isEnd)) {
    if (!tags.next()) throw new MalformedXlsx("A part of the workbook is truncated.");
    if (tags.name === "c" && tags.isStart) throw new MalformedXlsx("A part of the workbook is truncated.");
    if (tags.name === "v" && tags.isEnd && !tags.isStart) value ??= tags.text;
  }
  return value ?? "";
}

const dayMs = 86_400_000;
const dayZero = Date.UTC(1899, 11, 30);

/** Converts days since the end of 1899; the time is the fraction. */
function writeDay(days: number, otherwise: string): string {
  if (!Number.isFinite(days) || days < 1 || days >= 2_958_466) return otherwise;
  const at = new Date(dayZero + Math.round(days * 86_400) * 1_000).toISOString();
  return days * dayMs === Math.floor(days) * dayMs ? at.slice(0, 10) : at;
}

const inFull = new Intl.NumberFormat("en-US", { useGrouping: false, maximumFractionDigits: 20 });

/** 13.2 may be stored as 13.199999999999999, and 0.001 as 1E-3. */
function writeNumber(text: string): string {
  const number = Number(text);
  if (!Number.isFinite(number) || /^-?\d{1,15}$/.test(text)) return text;
  const short = String(Number(number.toPrecision(15)));
  return short.includes("e") ? inFull.format(Number(short)) : short;
}
