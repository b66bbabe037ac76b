import { RE2JS } from "re2js";
import { Type } from "../../../../core/type.ts";
import { Strict } from "../../../../core/schema.ts";
import { cleanText } from "../../../../core/strict-json.ts";
import { checkTextLength, MappingFault, chargeBudget } from "../mapping-run.ts";
import type { Run } from "../mapping-run.ts";
import type { CompileEnv } from "../transform.ts";
import { textTransform } from "../transform.ts";

const maxTextLength = 20_000;
const maxProgramSize = 1_000;

const Pattern = Type.String({ minLength: 1, maxLength: 200, description: "A regular expression (RE2 syntax)" });
const IgnoreCase = Type.Optional(Type.Boolean());

type Find = (from: number) => Match | undefined;
type Engine = { search(text: string, run: Run): Find; groupCount: number };
type Match = { start: number; end: number; groups: (string | null)[] };

/** RE2 needs no more than text times pattern for one search; that product is what is paid for. */
function compilePattern(pattern: string, ignoreCase: boolean | undefined, env: CompileEnv): Engine {
  const nothing: Engine = { search: () => () => undefined, groupCount: 0 };
  if (env.patterns.room <= 0) {
    env.refuse("pattern", "too_complex", "The regular expressions of this mapping are too large together.");
    return nothing;
  }
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  } catch (error) {
    env.refuse("pattern", "pattern", `This is no regular expression: ${(error as Error).message.slice(0, 200)}.`);
    return nothing;
  }
  const size = compiled.programSize();
  env.patterns.room -= size;
  if (size > maxProgramSize) {
    env.refuse("pattern", "too_complex", "The regular expression is too large; use fewer or smaller repetitions.");
    return nothing;
  }
  const groupCount = compiled.groupCount();
  return {
    groupCount,
    search(text, run) {
      if (text.length > maxTextLength) {
        throw new MappingFault("text_too_long", `Regular expressions take texts up to ${maxTextLength} characters.`);
      }
      const matcher = compiled.matcher(text);
      return (from) => {
        chargeBudget(run, 4 + (((text.length - from) * (size + 8)) >> 4));
        if (!matcher.find(from)) return undefined;
        const groups = Array.from({ length: groupCount + 1 }, (_, i) => matcher.group(i));
        return { start: matcher.start(), end: matcher.end(), groups };
      };
    },
  };
}

/** `$1` in a replacement is the first group, `$0` all that was found, `$$` a dollar sign. */
function expand(template: string, groups: (string | null)[]): string {
  return template.replaceAll(/\$(\$|\d)/g, (_, what: string) => (what === "$" ? "$" : (groups[Number(what)] ?? "")));
}

export const patternTransforms = [
  textTransform({
    name: "regex_extract",
    text: "What a regular expression finds: its first group if it has one; missing if it finds nothing",
    params: Strict({
      pattern: Pattern,
      group: Type.Optional(Type.Integer({ minimum: 0, maximum: 9 })),
      ignore_case: IgnoreCase,
    }),
    main: "pattern",
    example: { params: { pattern: "PO-(\\d+)" }, from: "Ref PO-4711, rush", to: "4711" },
    compile({ pattern, group: wanted, ignore_case }, env) {
      const engine = compilePattern(pattern, ignore_case, env);
      const group = wanted ?? Math.min(1, engine.groupCount);
      if (group > engine.groupCount) env.refuse("group", "group", `The pattern has ${engine.groupCount} groups.`);
      return (text, run) => engine.search(text, run)(0)?.groups[group] ?? undefined;
    },
  }),
  textTransform({
    name: "regex_replace",
    text: "Replaces everything a regular expression finds; $1 stands for its first group",
    params: Strict({ pattern: Pattern, to: Type.String({ maxLength: 200 }), ignore_case: IgnoreCase }),
    example: { params: { pattern: "(\\d{3})(\\d{4})$", to: "$1-$2" }, from: "5550100", to: "555-0100" },
    compile({ pattern, to, ignore_case }, env) {
      const engine = compilePattern(pattern, ignore_case, env);
      return (text, run) => {
        const find = engine.search(text, run);
        const parts: string[] = [];
        let length = 0;
        const add = (part: string): void => {
          checkTextLength((length += part.length));
          parts.push(part);
        };
        let position = 0;
        let from = 0;
        for (let found; from <= text.length && (found = find(from));) {
          add(text.slice(position, found.start));
          add(expand(to, found.groups));
          position = found.end;
          // After finding nothing at all: one character on, which may be two halves.
          const width = (text.codePointAt(found.end) ?? 0) > 0xffff ? 2 : 1;
          from = found.end > found.start ? found.end : found.end + width;
        }
        add(text.slice(position));
        return cleanText(parts.join(""));
      };
    },
  }),
  textTransform({
    name: "regex_test",
    text: "True if a regular expression finds something",
    params: Strict({ pattern: Pattern, ignore_case: IgnoreCase }),
    main: "pattern",
    example: { params: { pattern: "^\\d{5}(-\\d{4})?$" }, from: "10001-1234", to: true },
    compile({ pattern, ignore_case }, env) {
      const engine = compilePattern(pattern, ignore_case, env);
      return (text, run) => engine.search(text, run)(0) !== undefined;
    },
  }),
];
