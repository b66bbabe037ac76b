import { HubApiError } from "@order-operations-hub/sdk/problem";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";

type Versioned = { version: number };
type Saving<Shown extends Versioned, Patch> = {
  read(): Promise<Shown>;
  write(patch: Patch, version: number): Promise<Shown>;
  onSaved(saved: Shown): unknown;
};
export type Save<Shown, Patch> = {
  save(patch: Patch, version: number): void;
  /** The last attempt once more, say after somebody has shown who they are. */
  repeat(): void;
  reset(): void;
  isPending: boolean;
  error: Error | null;
  /** Somebody else was faster: what they have made of it, and what was meant here. */
  conflict: { theirs: Shown; mine: Patch } | undefined;
};

/** Saves a change of the version that was shown. Of another version nothing is written: both are shown instead. */
export function useSave<Shown extends Versioned, Patch>(saving: Saving<Shown, Patch>): Save<Shown, Patch> {
  const [conflict, setConflict] = useState<{ theirs: Shown; mine: Patch }>();
  const mutation = useMutation({
    mutationFn: async ({ patch, version }: { patch: Patch; version: number }) => {
      try {
        return { saved: await saving.write(patch, version), conflict: undefined };
      } catch (error) {
        if (!(error instanceof HubApiError) || error.status !== 412) throw error;
        return { saved: undefined, conflict: { theirs: await saving.read(), mine: patch } };
      }
    },
    onSuccess: async ({ saved, conflict: found }) => {
      setConflict(found);
      if (saved) await saving.onSaved(saved);
    },
  });
  return {
    save: (patch, version) => mutation.mutate({ patch, version }),
    repeat: () => mutation.variables && mutation.mutate(mutation.variables),
    reset: () => {
      setConflict(undefined);
      mutation.reset();
    },
    isPending: mutation.isPending,
    error: mutation.error,
    conflict,
  };
}
