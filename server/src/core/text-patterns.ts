import { RE2JS, RE2JSSyntaxException } from "re2js";

const maxPatternLength = 200;
/** Bounds the work for one text: the time is proportional to the size of the program and to the length of the text. */
const maxProgramSize = 500;
const maxTextLength = 2_000;

/**
 * Compiles an RE2 pattern, which is matched anywhere in a text, ignoring case. RE2 has no look-around and no back references, so
 * that no pattern can take more than linear time. Returns what is wrong when it is not a pattern.
 */
export function compilePattern(pattern: unknown): ((text: string) => boolean) | string {
  if (typeof pattern !== "string" || pattern === "") return "A pattern is needed.";
  if (pattern.length > maxPatternLength) return `A pattern has at most ${maxPatternLength} characters.`;
  try {
    const compiled = RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE);
    if (compiled.programSize() > maxProgramSize) return "The pattern is too large: use fewer or smaller repetitions.";
    return (text) => compiled.test(text.slice(0, maxTextLength));
  } catch (error) {
    const reason = error instanceof RE2JSSyntaxException ? error.getDescription() : (error as Error).message;
    return `This is not an RE2 pattern: ${reason}.`;
  }
}
