import type { RecordField } from "../../connectors/record-fields.ts";
import { recordFields } from "../../connectors/record-fields.ts";
import type { FieldError } from "../../core/errors.ts";
import { foldName, nearestName } from "../../core/nearest.ts";
import type { World } from "../../context.ts";
import { findKnownBridge, findTask } from "../bridges/bridge-tasks.ts";
import { parseTarget } from "./language/mapping-target.ts";
import type { MappingElement } from "./language/normalise-mapping.ts";
import type { TestResult, Transformation } from "./transformations.schemas.ts";

type Warning = TestResult["warnings"][number];
type Mapped = Pick<Transformation, "bridgeId" | "taskName" | "direction" | "mode" | "mappings">;

/** A target that is no field of the records, or a required field that no mapping fills. */
export type TargetProblem = { target: string; error: FieldError };

/**
 * Checks the targets of a mapping that makes records of the hub. Records with another field, or without a required one, would be
 * rejected one by one when they arrive.
 */
export async function findTargetProblems(
  world: World,
  orgId: string,
  { bridgeId, taskName, direction, mode, mappings }: Mapped,
): Promise<TargetProblem[]> {
  // Without mappings the data passes unchanged.
  if (direction !== "inbound" || mappings.length === 0) return [];
  const bridge = await findKnownBridge(world, bridgeId);
  const task = bridge?.row.org_id === orgId ? findTask(bridge, taskName) : undefined;
  if (task?.mode !== "pull") return [];
  const problems: TargetProblem[] = [];
  const level = {
    noun: `Records of type ${task.recordType}`,
    around: "",
    pointer: "/mappings",
    isWhole: mode === "replace",
  };
  checkLevel(mappings as MappingElement[], level, recordFields[task.recordType], problems);
  return problems;
}

/** The problems as warnings: a mapping may be saved before it is complete, as long as it is not active. */
export function targetWarnings(problems: readonly TargetProblem[]): Warning[] {
  return problems.map(({ target, error: { pointer, code, message, suggestion } }) => ({
    index: Number(/^\/mappings\/(\d+)/.exec(pointer)?.[1] ?? -1),
    target,
    path: pointer.replace(/\/(target|mappings)$/, ""),
    code,
    message,
    ...(suggestion === undefined ? {} : { suggestion }),
  }));
}

type Level = {
  noun: string;
  /** "" or the path of the list elements: "lines[]." */
  around: string;
  pointer: string;
  /** The mappings make the whole object; otherwise they add to one that has its required fields already. */
  isWhole: boolean;
};

function checkLevel(
  mappings: readonly MappingElement[],
  level: Level,
  fields: readonly RecordField[],
  problems: TargetProblem[],
): void {
  const { noun, around, pointer } = level;
  const [exact, filled] = [new Set<string>(), new Set<string>()];
  let { isWhole } = level;
  for (const [index, { target, each, mappings: inner }] of mappings.entries()) {
    const path = pathOf(target);
    // "$" merges an object, whose members are known only with the data.
    if (path === undefined || path === "") {
      isWhole = false;
      continue;
    }
    const own = `${pointer}/${index}`;
    if (!isKnown(around + path, fields)) {
      const suggestion = nearestTarget(path, around, fields);
      const error = { pointer: `${own}/target`, code: "unknown_target", message: `${noun} have no field ${path}.` };
      problems.push({ target, error: suggestion === undefined ? error : { ...error, suggestion } });
      continue;
    }
    exact.add(path);
    for (const parent of parentsOf(path)) filled.add(parent);
    if (each !== undefined && inner) {
      const list = around + path;
      checkLevel(
        inner,
        { noun: `Elements of ${list}`, around: `${list}[].`, pointer: `${own}/mappings`, isWhole: true },
        fields,
        problems,
      );
    }
  }
  if (!isWhole) return;
  for (const name of requiredAt(around, fields)) {
    const parent = name.slice(0, Math.max(0, name.lastIndexOf(".")));
    // Members of an object are needed once a mapping fills one of them.
    const isNeeded = parent === "" || (filled.has(parent) && !exact.has(parent));
    if (!isNeeded || filled.has(name)) continue;
    const message = `${noun} need ${name}, and no mapping fills it.`;
    problems.push({ target: name, error: { pointer, code: "required_target", message } });
  }
}

/** "lines[].sku" for lines[0].sku. Undefined: not a target; the compiler reports it. */
function pathOf(target: string): string | undefined {
  const steps = parseTarget(target);
  if (!Array.isArray(steps)) return undefined;
  const text = steps.map((step) => ("name" in step ? `.${step.name}` : "[]")).join("");
  return text.replace(/^\./, "").replace(/\[\]$/, "");
}

/** "a", "a.b" for a.b: a mapping of a member fills its parent as well. */
function parentsOf(path: string): string[] {
  const names = path.split(/\.|\[\]/).filter(Boolean);
  return names.map((_, at) => names.slice(0, at + 1).join("."));
}

function isKnown(path: string, fields: readonly RecordField[]): boolean {
  return fields.some((field) => field.path === path || (field.isOpen && path.startsWith(`${field.path}.`)));
}

function requiredAt(around: string, fields: readonly RecordField[]): string[] {
  return fields
    .filter(({ path, isRequired }) => isRequired && path.startsWith(around))
    .map(({ path }) => path.slice(around.length))
    .filter((name) => !name.includes("[]"));
}

const lastName = (path: string): string => foldName(path.split(".").at(-1) ?? path);

/** The field that was probably meant: by its whole path, then by its last name alone. */
function nearestTarget(path: string, around: string, fields: readonly RecordField[]): string | undefined {
  const options = fields
    .filter((field) => field.path.startsWith(around))
    .map((field) => field.path.slice(around.length))
    .filter((option) => !option.includes("[]"));
  const wanted = lastName(path);
  const byName = (isMeant: (name: string) => boolean): string | undefined =>
    options.find((option) => isMeant(lastName(option)));
  const alike = nearestName(wanted, options.map(lastName));
  return (
    (path.includes(".") ? nearestName(path, options) : undefined) ??
    byName((name) => name === wanted) ??
    (wanted.length > 1 ? byName((name) => name.startsWith(wanted)) : undefined) ??
    nearestName(path, options) ??
    (alike === undefined ? undefined : byName((name) => name === alike))
  );
}
