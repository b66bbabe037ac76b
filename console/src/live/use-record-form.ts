import { useMutation } from "@tanstack/react-query";
import type { SubmitEvent } from "react";
import { useState } from "react";
import { isConflict } from "../ui/conflict-box.tsx";
import { errorAt, fieldErrors } from "../ui/field-errors.ts";
import { tell } from "../ui/toast.tsx";
import { queryClient } from "./hub.ts";

type Versioned = { id: string; version: number };

type Saving<Shown extends Versioned, Draft> = {
  /** What the keys of its queries begin with: all of them are asked for again when it is saved. */
  kind: string;
  /** What of a record is typed. */
  draftOf(record: Shown): Draft;
  read(id: string): Promise<Shown>;
  /** Writes what was changed since `base` over that version of the record. */
  write(change: Partial<Draft>, over: Shown, base: Shown): Promise<Shown>;
  /** Parts that are written and never read, such as credentials: nobody sees what others made of them. */
  neverShown?: ReadonlyArray<keyof Draft>;
  /** What is told then, where it is more than that it is saved. */
  onSaved?(saved: Shown): unknown;
};
type Options<Shown extends Versioned, Draft> = Saving<Shown, Draft> &
  ({ record: Shown } | { record: Shown | undefined; start: Draft; create(draft: Draft): Promise<Shown> });

export type RecordForm<Draft> = {
  draft: Draft;
  set(change: Partial<Draft>): void;
  /** What the field of a part is given. What is wrong with it is at `pointer`, where that is not its name. */
  field<Part extends keyof Draft & string>(
    part: Part,
    pointer?: string,
  ): { value: Draft[Part]; onChange(value: Draft[Part]): void; error: string | undefined };
  isNew: boolean;
  /** The version that it was begun with. */
  basedOn: number | undefined;
  isChanged: boolean;
  isBusy: boolean;
  error: Error | null;
  /** What is wrong, by the pointer of its field. */
  errors: ReadonlyMap<string, string>;
  submit(event: SubmitEvent<HTMLFormElement>): void;
  putBack(): void;
  /** Somebody else was faster: what they made of it, and what it would be with one's own changes over it. */
  conflict: { theirs: Draft; mine: Draft; hasUnseen: boolean; takeTheirs(): void; keepMine(): void } | undefined;
};

type Saved<Shown, Draft> = { saved: Shown; sent: Draft };

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

function changeOf<Draft extends object>(draft: Draft, before: Draft): Partial<Draft> {
  const parts = Object.keys(draft) as Array<keyof Draft>;
  const changed = parts.filter((part) => !isSame(draft[part], before[part]));
  return Object.fromEntries(changed.map((part) => [part, draft[part]])) as Partial<Draft>;
}

const partsOf = <Draft extends object>(draft: Draft, parts: Partial<Draft>): Partial<Draft> =>
  Object.fromEntries(Object.keys(parts).map((part) => [part, draft[part as keyof Draft]])) as Partial<Draft>;

const rebased = <State extends { draft: object }>(state: State, change: object): State => ({
  ...state,
  draft: { ...state.draft, ...change },
});

/**
 * A record while somebody makes or changes it. As long as nothing is changed it follows the record; what was typed stays, whoever
 * else changes the record meanwhile, and is written over the version that it was made from. Over one in which something that this
 * form shows is different nothing is written: both are shown instead.
 */
export function useRecordForm<Shown extends Versioned, Draft extends object>(
  options: Options<Shown, Draft>,
): RecordForm<Draft> {
  const { record, kind, draftOf, read, write, neverShown = [], onSaved = () => tell("Saved") } = options;
  const maker = "create" in options ? options : undefined;
  const begin = (from: Shown | undefined): { base: Shown | undefined; draft: Draft } => ({
    base: from,
    draft: from ? draftOf(from) : maker!.start,
  });
  const [{ base, draft }, setState] = useState(() => begin(record));
  const change = changeOf(draft, begin(base).draft);
  const isChanged = Object.keys(change).length > 0;
  const hasUnseen = neverShown.some((part) => part in change);
  if (base && record && !isChanged && record.version > base.version) setState(begin(record));
  const save = useMutation({
    mutationFn: async (over: Shown | undefined): Promise<Saved<Shown, Draft> | { theirs: Shown }> => {
      if (!base || !over) return { saved: await maker!.create(draft), sent: draft };
      const writeOver = async (version: Shown): Promise<Saved<Shown, Draft> | { theirs: Shown }> => {
        try {
          return { saved: await write(change, version, base), sent: draft };
        } catch (error) {
          if (!isConflict(error)) throw error;
          const now = await read(version.id);
          // The answer to an earlier try was lost: what it saved is no conflict.
          const isMine = !hasUnseen && isSame(change, partsOf(draftOf(now), change));
          return isMine ? { saved: now, sent: draft } : { theirs: now };
        }
      };
      const done = await writeOver(over);
      // Another form of the same page may have saved its own part of the record, which is nothing to ask anybody about.
      const isElsewhere = "theirs" in done && isSame(draftOf(done.theirs), draftOf(over));
      return isElsewhere && !hasUnseen ? writeOver(done.theirs) : done;
    },
    onSuccess: async (done) => {
      if (!("saved" in done)) return;
      // What was typed while it was being saved stays, over what was saved.
      if (base) setState((now) => rebased(begin(done.saved), changeOf(now.draft, done.sent)));
      await queryClient.invalidateQueries({ queryKey: [kind] });
      await onSaved(done.saved);
    },
  });
  const take = (from: Shown | undefined): void => {
    setState(begin(from));
    save.reset();
  };
  const edit = (made: (from: Draft) => Draft): void => {
    setState((before) => ({ ...before, draft: made(before.draft) }));
    // The errors are those of the values before.
    if (save.error) save.reset();
  };
  const theirs = save.data && "theirs" in save.data ? save.data.theirs : undefined;
  const errors = fieldErrors(save.error);
  return {
    draft,
    set: (next) => edit((before) => ({ ...before, ...next })),
    field: (part, pointer = `/${part}`) => ({
      value: draft[part],
      onChange: (value) => edit((before) => ({ ...before, [part]: value })),
      error: errorAt(errors, pointer),
    }),
    isNew: !base,
    basedOn: base?.version,
    isChanged,
    isBusy: save.isPending,
    error: save.error,
    errors,
    submit: (event) => {
      event.preventDefault();
      save.mutate(base);
    },
    putBack: () => take(record),
    conflict: theirs && {
      theirs: draftOf(theirs),
      mine: { ...draftOf(theirs), ...change },
      hasUnseen,
      takeTheirs: () => take(theirs),
      keepMine: () => save.mutate(theirs),
    },
  };
}

/** A merge patch of an object: what was changed, and null for what was taken out. */
export function mergePatch(before: object, after: object): Record<string, unknown> {
  const gone = Object.keys(before).filter((name) => !(name in after));
  const was = before as Record<string, unknown>;
  const changed = Object.entries(after).filter(([name, value]) => !isSame(value, was[name]));
  return Object.fromEntries([...gone.map((name): [string, unknown] => [name, null]), ...changed]);
}
