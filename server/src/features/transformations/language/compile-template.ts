import { parseTemplate } from "../../../core/template.ts";
import type { Reader } from "./mapping-path.ts";
import { checkTextLength, chargeBudget } from "./mapping-run.ts";
import { isMissing, toText } from "./mapping-values.ts";

/** A missing value becomes blank; if all values are missing, so is the text. */
export function compileTemplate(template: string, readerFor: (path: string) => Reader): Reader {
  const parts = parseTemplate(template).map((part) => (typeof part === "string" ? part : readerFor(part.path)));
  const isConstant = parts.every((part) => typeof part === "string");
  return (run) => {
    let text = "";
    let hasValue = isConstant;
    for (let i = 0; i < parts.length; i++) {
      const part = parts[i]!;
      if (typeof part === "string") text += part;
      else {
        const value = part(run);
        if (isMissing(value)) continue;
        hasValue = true;
        const piece = toText(value);
        checkTextLength(text.length + piece.length);
        chargeBudget(run, 1 + (piece.length >> 5));
        text += piece;
      }
    }
    return hasValue ? text : undefined;
  };
}
