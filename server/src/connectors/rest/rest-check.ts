import type { FieldError } from "../../core/errors.ts";
import type { Settings } from "../connector.ts";
import { isJsonPath } from "../json-path.ts";
import { failsWhenProblems } from "./rest-answer.ts";
import { hasHiddenDots, placeholdersOf } from "./rest-template.ts";
import type { RequestTemplate, RestSettings, TaskDefinition } from "./rest.schemas.ts";

const taken = ["connection.test", "http.request"];

/** What a task definition says that cannot work, found before it is used. */
export function definitionProblems(settings: Settings): FieldError[] {
  const { tasks = [], variables = {} } = settings as RestSettings;
  return tasks.flatMap((task, index) => {
    const pointer = `/tasks/${index}`;
    const names = tasks.slice(0, index).map(({ name }) => name);
    const problems = [...requestProblems(`${pointer}/request`, task.request, task, variables)];
    const add = (at: string, code: string, message: string): void =>
      void problems.push({ pointer: `${pointer}/${at}`, code, message });
    if (task.find) problems.push(...requestProblems(`${pointer}/find/request`, task.find.request, task, variables));
    if (task.update)
      problems.push(...requestProblems(`${pointer}/update/request`, task.update.request, task, variables, true));
    if ([...taken, ...names].includes(task.name)) add("name", "name_taken", "Another task has this name.");
    if (task.mode === "pull" && !["GET", "POST"].includes(task.request.method ?? "GET")) {
      add("request/method", "not_a_read", "Reading uses GET or POST.");
    }
    if (task.paging?.kind === "cursor" && task.paging.next === undefined) {
      add("paging/next", "required", "A cursor has to be read from somewhere.");
    }
    if (task.since && task.updatedAt === undefined) {
      const message = "To read on from the newest change, it must be known where a record has its time.";
      add("updatedAt", "required", message);
    }
    return [...problems, ...failureProblems(pointer, task), ...pathProblems(pointer, task)];
  });
}

function failureProblems(pointer: string, { failsWhen, find, update }: TaskDefinition): FieldError[] {
  return [
    ...failsWhenProblems(`${pointer}/failsWhen`, failsWhen),
    ...failsWhenProblems(`${pointer}/find/failsWhen`, find?.failsWhen),
    ...failsWhenProblems(`${pointer}/update/failsWhen`, update?.failsWhen),
  ];
}

function pathProblems(pointer: string, task: TaskDefinition): FieldError[] {
  const paths: [string, string | undefined][] = [
    ["records", task.records],
    ["externalId", task.externalId],
    ["updatedAt", task.updatedAt],
    ["total", task.total],
    ["result", task.result],
    ["paging/next", task.paging?.next],
    ["find/externalId", task.find?.externalId],
    ["failsWhen/message", task.failsWhen?.message],
    ["find/failsWhen/message", task.find?.failsWhen?.message],
    ["update/failsWhen/message", task.update?.failsWhen?.message],
  ];
  const message = "Write it as in data.items[0].id.";
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
    problems.push({ pointer: `${pointer}/path`, code: "outside_of_base", message: "A path cannot climb up." });
  }
  for (const member of ["path", "query", "headers", "body"] as const) {
    for (const name of placeholdersOf(request[member])) {
      if (isUpdate && name === "sent.externalId") continue;
      const message = placeholderProblem(name, mode, variables);
      if (message !== undefined)
        problems.push({ pointer: `${pointer}/${member}`, code: "unknown_placeholder", message });
    }
  }
  return problems;
}

function placeholderProblem(name: string, mode: string, variables: Record<string, unknown>): string | undefined {
  const [root, first] = name.split(/[.[\]]/);
  if (root === "input" && first !== undefined) return undefined;
  if (root === "record" && mode === "push") return undefined;
  if (root === "effectKey" && mode !== "pull") return undefined;
  if (root === "settings" && first !== undefined) {
    return Object.hasOwn(variables, first) ? undefined : `There is no variable ${first}.`;
  }
  return `{${name}} means nothing here; there are {input...}, {settings...} and, when sending, {record...} and {effectKey}.`;
}
