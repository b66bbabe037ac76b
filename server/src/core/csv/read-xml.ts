/** The text is not readable XML. The message is shown to the sender of the file. */
export class MalformedXml extends Error {}

/** Called with the number of characters read; throws when the limit is exceeded. */
export type ChargeBudget = (steps: number) => void;

/** The current tag. Names have no prefix; `text` is the unescaped text before the tag. */
export type XmlTags = {
  name: string;
  /** An empty element, such as `<c/>`, is both. */
  isStart: boolean;
  isEnd: boolean;
  text: string;
  attribute(name: string): string | undefined;
  /** False at the end. */
  next(): boolean;
};

const [less, greater, slash, doubleQuote, singleQuote] = Array.from("<>/\"'", (sign) => sign.charCodeAt(0));

/**
 * Reads XML tag by tag in one pass without backtracking, so the time is linear for any input: only `indexOf` and loops over
 * characters, no regular expressions. Document type and entity declarations are ignored.
 */
export function readXml(xml: string, charge: ChargeBudget): XmlTags {
  let at = 0;
  let attributes = "";

  function find(sign: string, from: number): number {
    const found = xml.indexOf(sign, from);
    charge((found === -1 ? xml.length : found) - from + sign.length);
    if (found === -1) throw new MalformedXml("A part of the workbook is truncated.");
    return found;
  }

  /** The end of a tag. A > in a quoted value does not end it. */
  function endOfTag(from: number): number {
    let quote = 0;
    for (let end = from; end < xml.length; end++) {
      const sign = xml.charCodeAt(end);
      if (quote !== 0) {
        if (sign === quote) quote = 0;
      } else if (sign === greater) {
        charge(end - from);
        return end;
      } else if (sign === doubleQuote || sign === singleQuote) quote = sign;
    }
    charge(xml.length - from);
    throw new MalformedXml("A part of the workbook is truncated.");
  }

  /** Text up to the next tag, without comments and processing instructions. */
  function readText(): string | undefined {
    let text = "";
    for (;;) {
      const start = xml.indexOf("<", at);
      const end = start === -1 ? xml.length : start;
      charge(end - at + 1);
      text += unescapeXml(xml.slice(at, end));
      at = end;
      if (start === -1) return undefined;
      if (xml.startsWith("<!--", at)) at = find("-->", at + 4) + 3;
      else if (xml.startsWith("<![CDATA[", at)) {
        const close = find("]]>", at + 9);
        text += xml.slice(at + 9, close);
        at = close + 3;
      } else if (xml.startsWith("<?", at)) at = find("?>", at + 2) + 2;
      else if (xml.startsWith("<!", at)) at = find(">", at + 2) + 1;
      else return text;
    }
  }

  const tags: XmlTags = {
    name: "",
    isStart: false,
    isEnd: false,
    text: "",
    attribute(name) {
      charge(attributes.length);
      return findAttribute(attributes, name);
    },
    next() {
      const text = readText();
      if (text === undefined) return false;
      const isClosing = xml.charCodeAt(at + 1) === slash;
      const from = at + (isClosing ? 2 : 1);
      const end = endOfTag(from);
      const isEmpty = !isClosing && xml.charCodeAt(end - 1) === slash;
      let nameEnd = from;
      let nameStart = from;
      for (; nameEnd < end && !endsName(xml.charCodeAt(nameEnd)); nameEnd++)
        if (xml[nameEnd] === ":") nameStart = nameEnd + 1;
      tags.text = text;
      tags.name = xml.slice(nameStart, nameEnd);
      tags.isStart = !isClosing;
      tags.isEnd = isClosing || isEmpty;
      attributes = xml.slice(nameEnd, isEmpty ? end - 1 : end);
      at = end + 1;
      return true;
    },
  };
  return tags;
}

const endsName = (sign: number): boolean => sign <= 0x20 || sign === slash || sign === less;

/** With or without a prefix. */
function findAttribute(attributes: string, wanted: string): string | undefined {
  for (let at = 0; ;) {
    const equals = attributes.indexOf("=", at);
    if (equals === -1) return undefined;
    let open = equals + 1;
    while (attributes.charCodeAt(open) <= 0x20) open++;
    const quote = attributes[open];
    const close = quote === '"' || quote === "'" ? attributes.indexOf(quote, open + 1) : -1;
    if (close === -1) return undefined;
    const name = attributes.slice(at, equals).trim();
    if (name === wanted || name.endsWith(`:${wanted}`)) return unescapeXml(attributes.slice(open + 1, close));
    at = close + 1;
  }
}

const entities = new Map(Object.entries({ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" }));

/** Each run of the pattern starts at another & and ends before the next one. */
function unescapeXml(text: string): string {
  if (!text.includes("&")) return text;
  return text.replaceAll(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w{1,8}));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return entities.get(name as string) ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex as string, 16);
    return code <= 0x10_ff_ff ? String.fromCodePoint(code) : "";
  });
}
