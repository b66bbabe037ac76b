import type { Static } from "typebox";
import { Type } from "../../../core/type.ts";

/** Limits of one run of a mapping. Counted, not timed, so that the same data always gives the same result. */
export const mappingLimits = {
  mappings: 500,
  depth: 10,
  transformsPerMapping: 20,
  /** One is about 0.1 to 0.3 microseconds of work. */
  steps: 2_000_000,
  outputCharacters: 1_000_000,
  /** Nesting of values that are copied as a whole. */
  valueDepth: 64,
  errors: 100,
} as const;

/** The state of one run. `item` is the current element of an `each`, and the whole data outside of one. */
export type Run = {
  root: unknown;
  item: unknown;
  /** Remaining budget. */
  steps: number;
  room: number;
  problems: Problem[];
  /** The innermost list that is being iterated. */
  frame: Frame | undefined;
  /** Called at most once: a run has one current time. */
  now: () => Date;
  startedAt: string | undefined;
  /** Where the last mapping read and wrote its value: the next one often uses the same objects. */
  parentsOfSource: readonly unknown[] | undefined;
  sourceParent: Readonly<Record<string, unknown>>;
  parentsOfTarget: readonly unknown[] | undefined;
  targetParent: Record<string, unknown>;
  observe: Observer | undefined;
};

/** A list that is being iterated. */
export type Frame = {
  outer: Frame | undefined;
  /** The current element of the enclosing list. */
  around: unknown;
  position: number;
  elements: readonly unknown[];
  /** For elements of nested lists: the object that contains each. */
  owners: ReadonlyMap<unknown, unknown> | undefined;
  /** With groupBy: all elements of the group, by the position of its first. */
  groups: readonly unknown[][] | undefined;
};

export type MappingStatus = "mapped" | "defaulted" | "skipped" | "error";

export type Observer = (seen: Seen) => void;
export type Seen = {
  element: { index: number; pointer: string; target: string };
  status: MappingStatus;
  from: unknown;
  to: unknown;
  isMissing: boolean;
  /** `when` was not met. */
  isUnmet?: boolean;
  /** The failure; unless the status is `error`, `onError` has handled it. */
  fault?: MappingFault;
};

/** A failure on the data. */
export const Problem = Type.Object({
  index: Type.Integer({ description: "Of the mapping; -1: the run as a whole" }),
  target: Type.String(),
  path: Type.String({ description: "Pointer to the mapping" }),
  code: Type.String(),
  message: Type.String(),
  suggestion: Type.Optional(Type.String()),
  value: Type.Optional(Type.String({ description: "lookup_missed: the value that the table has no entry for" })),
  item: Type.Optional(Type.Integer({ description: "Position in the list of an each" })),
});
export type Problem = Static<typeof Problem>;

/** The only error that the language throws internally; callers never see it. */
export class MappingFault extends Error {
  readonly code: string;
  readonly suggestion: string | undefined;
  /** The value that a table has no entry for. */
  readonly value: string | undefined;
  /** A limit was reached: the run ends, regardless of `onError`. */
  readonly isFinal: boolean;

  constructor(code: string, message: string, more: { suggestion?: string; value?: string; isFinal?: boolean } = {}) {
    super(message);
    this.code = code;
    this.suggestion = more.suggestion;
    this.value = more.value;
    this.isFinal = more.isFinal ?? false;
  }
}

/** An object without members that is never written to. */
export const nowhere: Record<string, unknown> = {};

export function startRun(data: unknown, now: () => Date, observe?: Observer): Run {
  const { steps, outputCharacters } = mappingLimits;
  return {
    root: data,
    item: data,
    steps,
    room: outputCharacters,
    problems: [],
    frame: undefined,
    now,
    startedAt: undefined,
    parentsOfSource: undefined,
    sourceParent: nowhere,
    parentsOfTarget: undefined,
    targetParent: nowhere,
    observe,
  };
}

/** Moves to another element of a list: objects found before belong to the previous one. */
function moveTo(run: Run, item: unknown): void {
  run.item = item;
  run.parentsOfSource = undefined;
  run.parentsOfTarget = undefined;
}

/** Starts iterating a list: its elements become current, one after the other. */
export function enterList(run: Run, elements: readonly unknown[], owners?: Frame["owners"]): Frame {
  return (run.frame = { outer: run.frame, around: run.item, position: 0, elements, owners, groups: undefined });
}

export function enterElement(run: Run, position: number, element: unknown): void {
  run.frame!.position = position;
  moveTo(run, element);
}

export function leaveList(run: Run): void {
  const { outer, around } = run.frame!;
  run.frame = outer;
  moveTo(run, around);
}

/** The frame of the innermost list, or of the one `up` levels further out. */
export function frameAt(run: Run, up: number): Frame | undefined {
  let { frame } = run;
  for (let i = 0; i < up; i++) frame = frame?.outer;
  return frame;
}

/** The current position in each list, outermost first. */
export function positionsOf(run: Run): number[] {
  const positions: number[] = [];
  for (let { frame } = run; frame; frame = frame.outer) positions.unshift(frame.position);
  return positions;
}

/** The elements that meet a condition, each tested as the current element. */
export function keepElements(run: Run, elements: readonly unknown[], holds: (run: Run) => boolean): unknown[] {
  const kept: unknown[] = [];
  for (let i = 0; i < elements.length; i++) {
    chargeBudget(run, 1);
    enterElement(run, i, elements[i]);
    if (holds(run)) kept.push(elements[i]);
  }
  return kept;
}

/** The parent of the element, `up` levels up: the containing element of a nested list, or else the current element of the enclosing `each`. */
export function ownerOf(run: Run, up: number): unknown {
  let { frame, item } = run;
  for (let i = 0; i < up; i++) {
    if (!frame) return undefined;
    const owner = frame.owners?.get(item);
    item = owner ?? frame.around;
    if (owner === undefined) frame = frame.outer;
  }
  return item;
}

export function nowOf(run: Run): string {
  return (run.startedAt ??= run.now().toISOString());
}

export function chargeBudget(run: Run, steps: number): void {
  if ((run.steps -= steps) < 0) {
    throw new MappingFault("too_much_work", "The mapping needs more steps on this data than one run is given.", {
      isFinal: true,
    });
  }
}

export function takeRoom(run: Run, characters: number): void {
  if ((run.room -= characters) < 0) throw outputTooLarge();
}

/** Rejects a text that would be too long before it takes memory. */
export function checkTextLength(characters: number): void {
  if (characters > mappingLimits.outputCharacters) throw outputTooLarge();
}

function outputTooLarge(): MappingFault {
  return new MappingFault("output_too_large", "The output would be larger than 1 MB.", { isFinal: true });
}

/** Charges the output budget for a value, and rejects values that must not be in the output. */
export function takeRoomFor(run: Run, value: unknown): void {
  if (typeof value === "string") takeRoom(run, value.length + 4);
  else if (typeof value === "object" && value !== null) walk(run, value, 0);
  else takeRoom(run, 8);
}

/** The output budget that a value would take, without charging it. */
export function measure(run: Run, value: unknown): number {
  const { room } = run;
  takeRoomFor(run, value);
  const taken = room - run.room;
  run.room = room;
  return taken;
}

function walk(run: Run, value: object, depth: number): void {
  if (depth > mappingLimits.valueDepth) {
    throw new MappingFault("too_deep", `A value is nested more than ${mappingLimits.valueDepth} levels deep.`, {
      isFinal: true,
    });
  }
  const isList = Array.isArray(value);
  const keys = isList ? [] : Object.keys(value);
  const length = isList ? value.length : keys.length;
  chargeBudget(run, 1 + length);
  takeRoom(run, 2);
  for (let i = 0; i < length; i++) {
    if (!isList) {
      if (keys[i] === "__proto__") throw new MappingFault("forbidden_key", "The data has a key __proto__.");
      takeRoom(run, keys[i]!.length + 4);
    }
    const member = (value as Record<string, unknown>)[isList ? i : keys[i]!];
    if (typeof member === "object" && member !== null) walk(run, member, depth + 1);
    else takeRoom(run, typeof member === "string" ? member.length + 4 : 8);
  }
}

/** Copies a value that was measured or compiled before, so its depth and keys are harmless. */
export function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf);
  if (typeof value !== "object" || value === null) return value;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) if (key !== "__proto__") copy[key] = copyOf((value as typeof copy)[key]);
  return copy;
}

/** A constant of the mapping. Mutable values are copied, because the compiled mapping is reused. */
export function constantOf(value: unknown): () => unknown {
  return typeof value === "object" && value !== null ? () => copyOf(value) : () => value;
}
