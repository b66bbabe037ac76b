import type { FieldError } from "../../core/errors.ts";
import type { Settings } from "../connector.ts";
import { isJsonPath } from "../json-path.ts";
import { failsWhenProblems } from "./rest-answer.ts";
import { hasHiddenDots, hasSingleBraces, placeholdersOf, stepsOf } from "./rest-template.ts";
import type { RequestTemplate, TaskDefinition } from "./rest-task.schemas.ts";
import type { RestSettings } from "./rest.schemas.ts";

const reservedNames = ["connection.test", "http.request"];

/** Mistakes in task definitions, found when the settings are saved. */
export function definitionProblems(settings: Settings): FieldError[] {
  const { tasks = [], variables = {} } = settings as RestSettings;
  return tasks.flatMap((task, index) => {
    const pointer = `/tasks/${index}`;
    const names = tasks.slice(0, index).map(({ name }) => name);
    const problems = [...requestProblems(`${pointer}/request`, task.request, task, variables)];
    const add = (at: string, code: string, message: string): void =>
      void problems.push({ pointer: `${pointer}/${at}`, code, message });
    if (task.lookup)
      problems.push(...requestProblems(`${pointer}/lookup/request`, task.lookup.request, task, variables));
    if (task.update)
      problems.push(...requestProblems(`${pointer}/update/request`, task.update.request, task, variables, true));
    if ([...reservedNames, ...names].includes(task.name))
      add("name", "name_taken", "This task name is already in use.");
    if (task.mode === "pull" && !["GET", "POST"].includes(task.request.method ?? "GET")) {
      add("request/method", "not_a_read", "A pull uses GET or POST.");
    }
    if (task.pagination?.kind === "cursor" && task.pagination.nextCursorPath === undefined) {
      add("pagination/nextCursorPath", "required", "Cursor pagination requires the path of the next cursor.");
    }
    if (task.updatedSince && task.updatedAtPath === undefined) {
      const message = "updatedSince requires the path of the time of the last change in a record.";
      add("updatedAtPath", "required", message);
    }
    return [...problems, ...failureProblems(pointer, task), ...pathProblems(pointer, task)];
  });
}

function failureProblems(pointer: string, { failsWhen, lookup, update }: TaskDefinition): FieldError[] {
  return [
    ...failsWhenProblems(`${pointer}/failsWhen`, failsWhen),
    ...failsWhenProblems(`${pointer}/lookup/failsWhen`, lookup?.failsWhen),
    ...failsWhenProblems(`${pointer}/update/failsWhen`, update?.failsWhen),
  ];
}

function pathProblems(pointer: string, task: TaskDefinition): FieldError[] {
  const paths: [string, string | undefined][] = [
    ["recordsPath", task.recordsPath],
    ["externalIdPath", task.externalIdPath],
    ["updatedAtPath", task.updatedAtPath],
    ["totalPath", task.totalPath],
    ["resultPath", task.resultPath],
    ["pagination/nextCursorPath", task.pagination?.nextCursorPath],
    ["lookup/externalIdPath", task.lookup?.externalIdPath],
    ["failsWhen/messagePath", task.failsWhen?.messagePath],
    ["lookup/failsWhen/messagePath", task.lookup?.failsWhen?.messagePath],
    ["update/failsWhen/messagePath", task.update?.failsWhen?.messagePath],
  ];
  const message = "Write a path such as data.items[0].id.";
  return paths
    .filter(([, path]) => path !== undefined && !isJsonPath(path))
    .map(([name]) => ({ pointer: `${pointer}/${name}`, code: "not_a_path", message }));
}

function requestProblems(
  pointer: string,
  request: RequestTemplate,
  { mode }: TaskDefinition,
  variables: Record<string, unknown>,
  isUpdate = false,
): FieldError[] {
  const problems: FieldError[] = [];
  const path = request.path.split("?")[0]!;
  if (hasHiddenDots(path) || path.includes("\\")) {
    problems.push({
      pointer: `${pointer}/path`,
      code: "outside_base_url",
      message: "A path cannot contain dot segments.",
    });
  }
  if (hasSingleBraces(path)) {
    const message = "Write placeholders with two braces, as in {{input.name}}.";
    problems.push({ pointer: `${pointer}/path`, code: "unknown_placeholder", message });
  }
  for (const member of ["path", "query", "headers", "body"] as const) {
    for (const name of placeholdersOf(request[member])) {
      if (isUpdate && name === "existing.externalId") continue;
      const message = placeholderProblem(name, mode, variables);
      if (message !== undefined)
        problems.push({ pointer: `${pointer}/${member}`, code: "unknown_placeholder", message });
    }
  }
  return problems;
}

function placeholderProblem(name: string, mode: string, variables: Record<string, unknown>): string | undefined {
  const steps = stepsOf(name);
  if (typeof steps === "string") return `{{${name}}}: ${steps}`;
  const [root, first] = steps.map((step) => ("name" in step ? step.name : undefined));
  if (root === "input" && first !== undefined) return undefined;
  if (root === "record" && mode === "push") return undefined;
  if (root === "effectKey" && mode !== "pull") return undefined;
  if (root === "settings" && first !== undefined) {
    return Object.hasOwn(variables, first) ? undefined : `The variable ${first} is not defined.`;
  }
  return `{{${name}}} is unknown here. Use {{input...}}, {{settings...}} and, in push tasks, {{record...}} and {{effectKey}}.`;
}
