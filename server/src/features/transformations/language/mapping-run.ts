import type { Static } from "typebox";
import { Type } from "../../../core/type.ts";

/** What one run of a mapping may use at most. Counted, not timed, so that the same data always gives the same answer. */
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

/** The state of one run. `item` is the element an `each` stands at, and the whole data outside of it. */
export type Run = {
  root: unknown;
  item: unknown;
  /** Left of the limits. */
  steps: number;
  room: number;
  problems: Problem[];
  /** The innermost of the lists that are being gone through. */
  frame: Frame | undefined;
  /** Asked once at most: a run has one moment. */
  now: () => Date;
  startedAt: string | undefined;
  /** Where the last mapping found its value and put it: the next one often goes on there. */
  parentsOfSource: readonly unknown[] | undefined;
  sourceParent: Readonly<Record<string, unknown>>;
  parentsOfTarget: readonly unknown[] | undefined;
  targetParent: Record<string, unknown>;
  observe: Observer | undefined;
};

/** A list that is being gone through. */
export type Frame = {
  outer: Frame | undefined;
  /** Where the run stood before. */
  around: unknown;
  position: number;
  elements: readonly unknown[];
  /** Of elements that lists within lists led to: what each is in. */
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
  /** `when` did not hold. */
  isUnmet?: boolean;
  /** What went wrong; unless the status is `error`, `onError` settled it. */
  fault?: MappingFault;
};

/** One thing that went wrong on the data. */
export const Problem = Type.Object({
  index: Type.Integer({ description: "Of the mapping; -1: the run as a whole" }),
  target: Type.String(),
  path: Type.String({ description: "Pointer to the mapping" }),
  code: Type.String(),
  message: Type.String(),
  suggestion: Type.Optional(Type.String()),
  item: Type.Optional(Type.Integer({ description: "Position in the list of an each" })),
});
export type Problem = Static<typeof Problem>;

/** The only thing that the language throws inside of itself; callers never see it. */
export class MappingFault extends Error {
  readonly code: string;
  readonly suggestion: string | undefined;
  /** A limit was reached: the run ends, whatever `onError` says. */
  readonly isFinal: boolean;

  constructor(code: string, message: string, more: { suggestion?: string; isFinal?: boolean } = {}) {
    super(message);
    this.code = code;
    this.suggestion = more.suggestion;
    this.isFinal = more.isFinal ?? false;
  }
}

/** Has nothing, and nothing is put there. */
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

/** Another element of a list: what was found before is not its own. */
function moveTo(run: Run, item: unknown): void {
  run.item = item;
  run.parentsOfSource = undefined;
  run.parentsOfTarget = undefined;
}

/** From here on the run stands at its elements, one after the other. */
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

/** That of the innermost list, or of one so many further out. */
export function frameAt(run: Run, up: number): Frame | undefined {
  let { frame } = run;
  for (let i = 0; i < up; i++) frame = frame?.outer;
  return frame;
}

/** Where the run stands in each list, outermost first. */
export function positionsOf(run: Run): number[] {
  const positions: number[] = [];
  for (let { frame } = run; frame; frame = frame.outer) positions.unshift(frame.position);
  return positions;
}

/** The elements for which a condition holds, each asked as the one the run stands at. */
export function keepElements(run: Run, elements: readonly unknown[], holds: (run: Run) => boolean): unknown[] {
  const kept: unknown[] = [];
  for (let i = 0; i < elements.length; i++) {
    chargeBudget(run, 1);
    enterElement(run, i, elements[i]);
    if (holds(run)) kept.push(elements[i]);
  }
  return kept;
}

/** What the element is in, so many steps up: the element of the list before it, or else what the `each` around stands at. */
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

/** For a text that is about to be made: refused before it takes memory. */
export function checkTextLength(characters: number): void {
  if (characters > mappingLimits.outputCharacters) throw outputTooLarge();
}

function outputTooLarge(): MappingFault {
  return new MappingFault("output_too_large", "The output would be larger than 1 MB.", { isFinal: true });
}

/** Counts what a value adds to the output, and refuses what must not get there. */
export function takeRoomFor(run: Run, value: unknown): void {
  if (typeof value === "string") takeRoom(run, value.length + 4);
  else if (typeof value === "object" && value !== null) walk(run, value, 0);
  else takeRoom(run, 8);
}

/** How much room a value would take; it is only borrowed. */
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

/** For what has been walked or compiled before, so its depth and keys are known to be harmless. */
export function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf);
  if (typeof value !== "object" || value === null) return value;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) if (key !== "__proto__") copy[key] = copyOf((value as typeof copy)[key]);
  return copy;
}

/** A constant of the mapping. What can be changed is copied: the compiled mapping is kept and used again. */
export function constantOf(value: unknown): () => unknown {
  return typeof value === "object" && value !== null ? () => copyOf(value) : () => value;
}
