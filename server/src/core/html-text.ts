/** Those that shop software writes into names. Others are written as numbers. */
const named: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  ndash: "–",
  mdash: "—",
  hellip: "…",
  bull: "•",
  lsquo: "‘",
  rsquo: "’",
  ldquo: "“",
  rdquo: "”",
  laquo: "«",
  raquo: "»",
  prime: "′",
  Prime: "″",
  times: "×",
  deg: "°",
  plusmn: "±",
  frac12: "½",
  frac14: "¼",
  frac34: "¾",
  euro: "€",
  pound: "£",
  yen: "¥",
  copy: "©",
  reg: "®",
  trade: "™",
  auml: "ä",
  ouml: "ö",
  uuml: "ü",
  Auml: "Ä",
  Ouml: "Ö",
  Uuml: "Ü",
  szlig: "ß",
  eacute: "é",
  egrave: "è",
  agrave: "à",
  ccedil: "ç",
  ntilde: "ñ",
};

/** Text of a web page as plain text: `Ship Your Idea &ndash; Color` and `<p>To Ann</p>`. What is no entity stays. */
export function plainText(html: string): string {
  return decodeEntities(html.replaceAll(/<\/?[a-z][^<>]*>/gi, " ")).trim();
}

export function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]+\d*));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return Object.hasOwn(named, name as string) ? named[name as string]! : whole;
    const code = decimal === undefined ? Number.parseInt(hex as string, 16) : Number(decimal);
    const isText = code > 31 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
    return isText ? String.fromCodePoint(code) : whole;
  });
}
