/** Widths of bars and spaces in turn, by value. The last is the stop sign. */
const patterns = (
  "212222 222122 222221 121223 121322 131222 122213 122312 132212 221213 221312 231212 112232 122132 122231 113222 123122 " +
  "123221 223211 221132 221231 213212 223112 312131 311222 321122 321221 312212 322112 322211 212123 212321 232121 111323 " +
  "131123 131321 112313 132113 132311 211313 231113 231311 112133 112331 132131 113123 113321 133121 313121 211331 231131 " +
  "213113 213311 213131 311123 311321 331121 312113 312311 332111 314111 221411 431111 111224 111422 121124 121421 141122 " +
  "141221 112214 112412 122114 122411 142112 142211 241211 221114 413111 241112 134111 111242 121142 121241 114212 124112 " +
  "124211 411212 421112 421211 212141 214121 412121 111143 111341 131141 114113 114311 411113 411311 113141 114131 311141 " +
  "411131 211412 211214 211232 2331112"
).split(" ");
const [codeC, codeB, startB, startC, stop] = [99, 100, 104, 105, 106];

/**
 * Widths of the bars and spaces of a Code 128 bar code, starting with a bar, and their sum. Undefined for characters outside of
 * ASCII and for texts that would be too wide to scan.
 */
export function code128(text: string): { widths: number[]; modules: number } | undefined {
  if (text.length === 0 || text.length > 48 || !/^[ -~]+$/.test(text)) return undefined;
  const values: number[] = [];
  let isC = false;
  for (let at = 0; at < text.length;) {
    const digits = /^\d*/.exec(text.slice(at))![0].length;
    // Pairs of digits take half the room; changing the code takes a character itself.
    const pairs = digits >= 4 || (digits === text.length && digits >= 2) ? Math.floor(digits / 2) : 0;
    if (pairs > 0) {
      if (!isC) values.push(values.length === 0 ? startC : codeC);
      isC = true;
      for (let pair = 0; pair < pairs; pair++, at += 2) values.push(Number(text.slice(at, at + 2)));
    } else {
      if (isC || values.length === 0) values.push(values.length === 0 ? startB : codeB);
      isC = false;
      values.push(text.charCodeAt(at) - 32);
      at++;
    }
  }
  const check = values.reduce((sum, value, at) => sum + value * Math.max(at, 1), 0) % 103;
  const widths = [...values, check, stop].flatMap((value) => Array.from(patterns[value]!, Number));
  return { widths, modules: widths.reduce((sum, width) => sum + width, 0) };
}
