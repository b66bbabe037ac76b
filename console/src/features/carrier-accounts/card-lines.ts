/** Terms that are edited as lines of text: what they are, or which line cannot be read. */
export type Read<Terms> = { terms: Terms | undefined } | { wrong: string };

export const linesOf = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

export const numberOf = (text: string): number => (/^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN);

export const termsIn = <Terms>(read: Read<Terms>): Terms | undefined => ("terms" in read ? read.terms : undefined);
