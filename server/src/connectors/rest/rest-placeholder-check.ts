import type { FieldError } from "../../core/errors.ts";
import type { Pagination, UpdatedSince } from "./rest-pull.schemas.ts";
import type { RequestTemplate } from "./rest-request.schemas.ts";
import { hasHiddenDots, hasSingleBraces, placeholdersOf, stepsOf } from "./rest-template.ts";

type Root = "input" | "record" | "effectKey" | "existing" | "page" | "since";

/** What the placeholders of a request can name, besides `settings`. */
export type PlaceholderUse = {
  roots: readonly Root[];
  variables: Record<string, unknown>;
  pagination?: Pagination | undefined;
  updatedSince?: UpdatedSince | undefined;
};

/** Mistakes in a request template: placeholders without a meaning, and paths that leave the base URL. */
export function requestProblems(pointer: string, request: RequestTemplate, use: PlaceholderUse): FieldError[] {
  const problems: FieldError[] = [];
  const add = (at: string, code: string, message: string): void =>
    void problems.push({ pointer: `${pointer}/${at}`, code, message });
  const path = request.path.split("?")[0]!;
  if (hasHiddenDots(path) || path.includes("\\"))
    add("path", "outside_base_url", "A path cannot contain dot segments.");
  if (hasSingleBraces(path)) {
    add("path", "unknown_placeholder", "Write placeholders with two braces, as in {{input.name}}.");
  }
  for (const member of ["path", "query", "headers", "body"] as const) {
    for (const name of placeholdersOf(request[member])) {
      const message = placeholderProblem(name, use);
      if (message !== undefined) add(member, "unknown_placeholder", message);
      else if (member === "path" && isEmptyAtFirst(name, use)) add(member, "no_first_value", adviceFor(name));
    }
  }
  return problems;
}

/** The same for a text outside of a request. */
export function textProblems(pointer: string, text: string, use: PlaceholderUse): FieldError[] {
  return placeholdersOf(text).flatMap((name) => {
    const message = placeholderProblem(name, use);
    return message === undefined ? [] : [{ pointer, code: "unknown_placeholder", message }];
  });
}

function placeholderProblem(name: string, use: PlaceholderUse): string | undefined {
  const { roots, variables, pagination, updatedSince } = use;
  const steps = stepsOf(name);
  if (typeof steps === "string") return `{{${name}}}: ${steps}`;
  const [root, first] = steps.map((step) => ("name" in step ? step.name : undefined));
  if (root === "settings" && first !== undefined) {
    return Object.hasOwn(variables, first) ? undefined : `The variable ${first} is not defined.`;
  }
  if (!(roots as readonly unknown[]).includes(root)) return unknownHere(name, roots);
  if (root === "input") return first === undefined ? unknownHere(name, roots) : undefined;
  if (root === "existing") return first === "externalId" ? undefined : unknownHere(name, roots);
  if (root === "page") return pageProblem(name, first, pagination);
  if (root === "since" && updatedSince === undefined) return "{{since}} requires updatedSince.";
  return undefined;
}

/** Query parameters, headers and members without a value are left out of the first request, but a path has no such parts. */
function isEmptyAtFirst(name: string, { updatedSince }: PlaceholderUse): boolean {
  return name === "page.cursor" || (name === "since" && updatedSince?.initial === undefined);
}

function adviceFor(name: string): string {
  const start = name === "since" ? "Set updatedSince.initial, or write it" : "Write it";
  return `{{${name}}} has no value in the first request, so it cannot be part of the path. ${start} into the query, a header or the body.`;
}

const kindOf = new Map<string | undefined, Pagination["kind"]>([
  ["cursor", "cursor"],
  ["number", "page"],
  ["offset", "offset"],
]);

function pageProblem(name: string, member: string | undefined, pagination: Pagination | undefined): string | undefined {
  if (member === "size")
    return pagination?.pageSize === undefined ? "{{page.size}} requires pagination.pageSize." : undefined;
  const kind = kindOf.get(member);
  if (kind === undefined)
    return `{{${name}}} is unknown. There is {{page.cursor}}, {{page.number}}, {{page.offset}} and {{page.size}}.`;
  return pagination?.kind === kind ? undefined : `{{${name}}} requires pagination.kind ${kind}.`;
}

const shown: Record<Root, string> = {
  input: "{{input...}}",
  record: "{{record...}}",
  effectKey: "{{effectKey}}",
  existing: "{{existing.externalId}}",
  page: "{{page...}}",
  since: "{{since}}",
};

function unknownHere(name: string, roots: readonly Root[]): string {
  return `{{${name}}} is unknown here. Use ${["{{settings...}}", ...roots.map((root) => shown[root])].join(", ")}.`;
}
