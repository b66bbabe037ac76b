import type { Reader } from "./mapping-path.ts";
import { checkTextLength, spend } from "./mapping-run.ts";
import { isMissing, toText } from "./mapping-values.ts";

// Blanks are taken off afterwards: sought in here, a long row of them could be divided in too many ways.
export const placeholder = /\{\{([^{}]*)\}\}/g;

/** What is missing is left blank; if everything is missing, so is the text. */
export function compileTemplate(template: string, readerFor: (path: string) => Reader): Reader {
  const parts: (string | Reader)[] = [];
  let end = 0;
  for (const found of template.matchAll(placeholder)) {
    parts.push(template.slice(end, found.index), readerFor(found[1]!.trim()));
    end = found.index + found[0].length;
  }
  parts.push(template.slice(end));
  const isConstant = parts.length === 1;
  const filled = parts.filter((part) => part !== "");
  return (run) => {
    let text = "";
    let hasValue = isConstant;
    for (let i = 0; i < filled.length; i++) {
      const part = filled[i]!;
      if (typeof part === "string") text += part;
      else {
        const value = part(run);
        if (isMissing(value)) continue;
        hasValue = true;
        const piece = toText(value);
        checkTextLength(text.length + piece.length);
        spend(run, 1 + (piece.length >> 5));
        text += piece;
      }
    }
    return hasValue ? text : undefined;
  };
}
