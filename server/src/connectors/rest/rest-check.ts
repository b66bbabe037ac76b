import type { FieldError } from "../../core/errors.ts";
import type { Settings } from "../connector.ts";
import { isJsonPath } from "../json-path.ts";
import { failsWhenProblems } from "./rest-answer.ts";
import type { PlaceholderUse } from "./rest-placeholder-check.ts";
import { requestProblems, textProblems } from "./rest-placeholder-check.ts";
import { missingPosition } from "./rest-paging.ts";
import type { RequestTemplate } from "./rest-request.schemas.ts";
import { instantOfInitial } from "./rest-since.ts";
import { placeholdersOf, rootOf } from "./rest-template.ts";
import type { Pagination } from "./rest-pull.schemas.ts";
import type { TaskDefinition } from "./rest-task.schemas.ts";
import type { RestSettings } from "./rest.schemas.ts";

const reservedNames = ["connection.test", "http.request"];

/** Mistakes in task definitions, found when the settings are saved. */
export function definitionProblems(settings: Settings): FieldError[] {
  const { tasks = [], variables = {}, test, auth } = settings as RestSettings;
  const ofTest = test
    ? [
        ...requestProblems("/test/request", test.request, { roots: [], variables }),
        ...failsWhenProblems("/test/failsWhen", test.failsWhen),
        ...pathProblems("/test", [["failsWhen/messagePath", test.failsWhen?.messagePath]]),
        ...(auth?.kind === "oauth1" ? formProblems("/test", [["request", test.request]]) : []),
      ]
    : [];
  const ofTasks = tasks.flatMap((task, index) => {
    const pointer = `/tasks/${index}`;
    const isTaken = [...reservedNames, ...tasks.slice(0, index).map(({ name }) => name)].includes(task.name);
    const message = "This task name is already in use.";
    return [
      ...placeholderProblems(pointer, task, variables),
      ...(isTaken ? [{ pointer: `${pointer}/name`, code: "name_taken", message }] : []),
      ...(auth?.kind === "oauth1" ? formProblems(pointer, requestsOf(task)) : []),
      ...pullProblems(pointer, task),
      ...detailProblems(pointer, task, variables),
      ...failureProblems(pointer, task),
      ...pathProblems(pointer, pathsOf(task)),
    ];
  });
  return [...ofTest, ...ofTasks];
}

type Variables = Record<string, unknown>;

const rootsByMode = {
  pull: ["input", "page", "since"],
  push: ["input", "record", "effectKey"],
  call: ["input", "effectKey"],
} as const satisfies Record<TaskDefinition["mode"], PlaceholderUse["roots"]>;

function placeholderProblems(pointer: string, task: TaskDefinition, variables: Variables): FieldError[] {
  const { mode, request, lookup, update, pagination, updatedSince } = task;
  const use: PlaceholderUse = { roots: rootsByMode[mode], variables, pagination, updatedSince };
  return [
    ...requestProblems(`${pointer}/request`, request, use),
    ...(lookup ? requestProblems(`${pointer}/lookup/request`, lookup.request, use) : []),
    ...(lookup?.match ? textProblems(`${pointer}/lookup/match/value`, lookup.match.value, use) : []),
    ...(update
      ? requestProblems(`${pointer}/update/request`, update.request, { ...use, roots: [...use.roots, "existing"] })
      : []),
  ];
}

type NamedRequest = [at: string, request: RequestTemplate | undefined];

function requestsOf({ request, lookup, update, details = [] }: TaskDefinition): NamedRequest[] {
  const ofDetails = details.map((detail, index): NamedRequest => [`details/${index}/request`, detail.request]);
  return [["request", request], ["lookup/request", lookup?.request], ["update/request", update?.request], ...ofDetails];
}

/** The signature would have to cover the members of a form. */
function formProblems(pointer: string, requests: NamedRequest[]): FieldError[] {
  const message = "Requests with OAuth 1.0a are sent as JSON.";
  return requests
    .filter(([, one]) => one?.bodyFormat === "form")
    .map(([at]) => ({ pointer: `${pointer}/${at}/bodyFormat`, code: "not_with_oauth1", message }));
}

const readMethods = ["GET", "POST"];

function pullProblems(pointer: string, task: TaskDefinition): FieldError[] {
  const { mode, request, pagination, updatedSince, updatedAtPath } = task;
  const problems: FieldError[] = [];
  const add = (at: string, code: string, message: string): void =>
    void problems.push({ pointer: `${pointer}/${at}`, code, message });
  if (mode === "pull" && !readMethods.includes(request.method ?? "GET")) {
    add("request/method", "not_a_read", "A pull uses GET or POST.");
  }
  problems.push(...paginationProblems(pointer, request, pagination));
  if (!updatedSince) return problems;
  if (updatedAtPath === undefined) {
    add("updatedAtPath", "required", "updatedSince requires the path of the time of the last change in a record.");
  }
  if (updatedSince.param === undefined && !placeholdersOf(request).some((path) => rootOf(path) === "since")) {
    add("updatedSince/param", "required", "Set the query parameter, or write {{since}} in the request.");
  }
  if (updatedSince.initial !== undefined && instantOfInitial(updatedSince.initial, new Date()) === undefined) {
    add("updatedSince/initial", "not_a_time", "Write a number of days such as 30d, or a time such as 2026-01-31.");
  }
  return problems;
}

function paginationProblems(
  pointer: string,
  request: RequestTemplate,
  pagination: Pagination | undefined,
): FieldError[] {
  if (pagination === undefined) return [];
  const problems: FieldError[] = [];
  if (pagination.kind === "cursor" && pagination.nextCursorPath === undefined) {
    const message = "Cursor pagination requires the path of the next cursor.";
    problems.push({ pointer: `${pointer}/pagination/nextCursorPath`, code: "required", message });
  }
  const missing = missingPosition(request, pagination);
  if (missing !== undefined) {
    const message =
      `The request names {{page.size}} but not ${missing}, so each page would be the first one. Write ${missing} into the request, ` +
      "or leave {{page.size}} out and set pageSizeParam.";
    problems.push({ pointer: `${pointer}/request`, code: "no_position", message });
  }
  return problems;
}

function detailProblems(pointer: string, task: TaskDefinition, variables: Variables): FieldError[] {
  if (task.details !== undefined && task.mode !== "pull") {
    return [{ pointer: `${pointer}/details`, code: "not_a_pull", message: "Only a pull has details." }];
  }
  return (task.details ?? []).flatMap(({ request, pagination, mergeAs, recordPath, failsWhen }, index) => {
    const at = `${pointer}/details/${index}`;
    const isRead = readMethods.includes(request.method ?? "GET");
    const isPaged = pagination !== undefined && pagination.kind !== "none";
    return [
      ...requestProblems(`${at}/request`, request, { roots: ["input", "record", "page"], variables, pagination }),
      ...(isRead
        ? []
        : [{ pointer: `${at}/request/method`, code: "not_a_read", message: "A detail uses GET or POST." }]),
      ...(isPaged && mergeAs === undefined
        ? [{ pointer: `${at}/mergeAs`, code: "required", message: "A list in pages needs a member that it becomes." }]
        : []),
      ...paginationProblems(at, request, pagination),
      ...failsWhenProblems(`${at}/failsWhen`, failsWhen),
      ...pathProblems(at, [
        ["recordPath", recordPath],
        ["failsWhen/messagePath", failsWhen?.messagePath],
        ...pathsOfPagination(pagination),
      ]),
    ];
  });
}

function failureProblems(pointer: string, { failsWhen, lookup, update }: TaskDefinition): FieldError[] {
  return [
    ...failsWhenProblems(`${pointer}/failsWhen`, failsWhen),
    ...failsWhenProblems(`${pointer}/lookup/failsWhen`, lookup?.failsWhen),
    ...failsWhenProblems(`${pointer}/update/failsWhen`, update?.failsWhen),
  ];
}

type NamedPath = [name: string, path: string | undefined];

function pathsOfPagination(pagination: Pagination | undefined): NamedPath[] {
  return [
    ["pagination/nextCursorPath", pagination?.nextCursorPath],
    ["pagination/hasNextPath", pagination?.hasNextPath],
  ];
}

function pathsOf(task: TaskDefinition): NamedPath[] {
  return [
    ["recordsPath", task.recordsPath],
    ["externalIdPath", task.externalIdPath],
    ["updatedAtPath", task.updatedAtPath],
    ["totalPath", task.totalPath],
    ["resultPath", task.resultPath],
    ...pathsOfPagination(task.pagination),
    ["lookup/externalIdPath", task.lookup?.externalIdPath],
    ["lookup/recordsPath", task.lookup?.recordsPath],
    ["lookup/match/path", task.lookup?.match?.path],
    ["failsWhen/messagePath", task.failsWhen?.messagePath],
    ["lookup/failsWhen/messagePath", task.lookup?.failsWhen?.messagePath],
    ["update/failsWhen/messagePath", task.update?.failsWhen?.messagePath],
  ];
}

function pathProblems(pointer: string, paths: NamedPath[]): FieldError[] {
  const message = "Write a path such as data.items[0].id.";
  return paths
    .filter(([, path]) => path !== undefined && !isJsonPath(path))
    .map(([name]) => ({ pointer: `${pointer}/${name}`, code: "not_a_path", message }));
}
