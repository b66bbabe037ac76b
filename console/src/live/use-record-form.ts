import { useMutation } from "@tanstack/react-query";
import type { SubmitEvent } from "react";
import { useState } from "react";
import { isConflict } from "../ui/conflict-box.tsx";
import { errorAt, fieldErrors } from "../ui/field-errors.ts";
import { showToast } from "../ui/toast.tsx";
import { queryClient } from "./hub.ts";

type Versioned = { id: string; version: number };

type Saving<Shown extends Versioned, Draft> = {
  /** First part of the query keys that are refetched after a save. */
  kind: string;
  /** The editable values of a record. */
  draftOf(record: Shown): Draft;
  read(id: string): Promise<Shown>;
  /** Writes the changes since `base` to the version `over`. */
  write(change: Partial<Draft>, over: Shown, base: Shown): Promise<Shown>;
  /** Write-only values, such as credentials: a concurrent change to them cannot be shown. */
  neverShown?: ReadonlyArray<keyof Draft>;
  /** Runs after a save, by default a toast. */
  onSaved?(saved: Shown): unknown;
};
type Options<Shown extends Versioned, Draft> = Saving<Shown, Draft> &
  ({ record: Shown } | { record: Shown | undefined; start: Draft; create(draft: Draft): Promise<Shown> });

export type RecordForm<Draft> = {
  draft: Draft;
  set(change: Partial<Draft>): void;
  /** Props of the field for a value. Its errors are those at `pointer`, by default the name of the value. */
  field<Part extends keyof Draft & string>(
    part: Part,
    pointer?: string,
  ): { value: Draft[Part]; onChange(value: Draft[Part]): void; error: string | undefined };
  isNew: boolean;
  /** The version that the draft is based on. */
  basedOn: number | undefined;
  isChanged: boolean;
  isBusy: boolean;
  error: Error | null;
  /** Field errors by JSON pointer. */
  errors: ReadonlyMap<string, string>;
  submit(event: SubmitEvent<HTMLFormElement>): void;
  putBack(): void;
  /** Set after a 412: the saved values, and the same with the user's changes on top. */
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
 * Form state of a record. An untouched form follows the record; edits survive concurrent changes and are written to the version
 * they were made from. If a value of this form has changed meanwhile, nothing is written and both versions are shown.
 */
export function useRecordForm<Shown extends Versioned, Draft extends object>(
  options: Options<Shown, Draft>,
): RecordForm<Draft> {
  const { record, kind, draftOf, read, write, neverShown = [], onSaved = () => showToast("Saved") } = options;
  const creation = "create" in options ? options : undefined;
  const begin = (from: Shown | undefined): { base: Shown | undefined; draft: Draft } => ({
    base: from,
    draft: from ? draftOf(from) : creation!.start,
  });
  const [{ base, draft }, setState] = useState(() => begin(record));
  const change = changeOf(draft, begin(base).draft);
  const isChanged = Object.keys(change).length > 0;
  const hasUnseen = neverShown.some((part) => part in change);
  if (base && record && !isChanged && record.version > base.version) setState(begin(record));
  const save = useMutation({
    mutationFn: async (over: Shown | undefined): Promise<Saved<Shown, Draft> | { theirs: Shown }> => {
      if (!base || !over) return { saved: await creation!.create(draft), sent: draft };
      const writeOver = async (version: Shown): Promise<Saved<Shown, Draft> | { theirs: Shown }> => {
        try {
          return { saved: await write(change, version, base), sent: draft };
        } catch (error) {
          if (!isConflict(error)) throw error;
          const now = await read(version.id);
          // An earlier attempt succeeded and its response was lost: not a conflict.
          const isMine = !hasUnseen && isSame(change, partsOf(draftOf(now), change));
          return isMine ? { saved: now, sent: draft } : { theirs: now };
        }
      };
      const done = await writeOver(over);
      // Another form of the page has saved other fields of the record: write again without asking.
      const isElsewhere = "theirs" in done && isSame(draftOf(done.theirs), draftOf(over));
      return isElsewhere && !hasUnseen ? writeOver(done.theirs) : done;
    },
    onSuccess: async (done) => {
      if (!("saved" in done)) return;
      // Keep what was typed during the save.
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

/** JSON merge patch: changed values, and null for removed ones. */
export function mergePatch(before: object, after: object): Record<string, unknown> {
  const gone = Object.keys(before).filter((name) => !(name in after));
  const was = before as Record<string, unknown>;
  const changed = Object.entries(after).filter(([name, value]) => !isSame(value, was[name]));
  return Object.fromEntries([...gone.map((name): [string, unknown] => [name, null]), ...changed]);
}
