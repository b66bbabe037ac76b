import type { QueryKey } from "@tanstack/react-query";
import { useMutation } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { errorAt, fieldErrors } from "../ui/field-errors.ts";
import type { FormState } from "../ui/form-body.tsx";
import { queryClient } from "./hub.ts";

type Options<Draft, Created> = {
  /** Initial values. */
  start: Draft | (() => Draft);
  create(draft: Draft): Promise<Created>;
  /** Queries to refetch afterwards, by the beginning of their key. */
  refetch?: QueryKey;
  onCreated?(created: Created, draft: Draft): unknown;
};

export type CreateForm<Draft, Created = unknown> = FormState & {
  draft: Draft;
  set(change: Partial<Draft>): void;
  /** Props of the field for a value. Its errors are those at `pointer`, by default the name of the value. */
  field<Name extends keyof Draft & string>(
    name: Name,
    pointer?: string,
  ): { value: Draft[Name]; onChange(value: Draft[Name]): void; error: string | undefined };
  /** Field errors by JSON pointer. */
  errors: ReadonlyMap<string, string>;
  /** The response, once it is created. */
  created: Created | undefined;
  /** Restores the initial values. */
  reset(): void;
};

/**
 * A form that creates a record: its values, the request, and the errors of the response. Show it in FormDialog, FormPopover or
 * SubmitForm.
 */
export function useCreateForm<Draft extends object, Created>(
  options: Options<Draft, Created>,
): CreateForm<Draft, Created> {
  const [start] = useState(options.start);
  const [draft, setDraft] = useState(start);
  const request = useMutation({
    mutationFn: (sent: Draft) => options.create(sent),
    onSuccess: async (created, sent) => {
      const refetched = options.refetch && queryClient.invalidateQueries({ queryKey: options.refetch });
      await options.onCreated?.(created, sent);
      await refetched;
    },
  });
  // A second submit can come before the state of the first is rendered.
  const isSent = useRef(false);
  const submit = (onDone: (() => void) | undefined): void => {
    if (isSent.current) return;
    isSent.current = true;
    request.mutate(draft, { ...(onDone ? { onSuccess: onDone } : {}), onSettled: () => (isSent.current = false) });
  };
  const errors = fieldErrors(request.error);
  const fields = new Set<string>();
  const edit = (change: (before: Draft) => Draft): void => {
    setDraft(change);
    // The errors belong to the previous values.
    if (request.error) request.reset();
  };
  return {
    draft,
    set: (change) => edit((before) => ({ ...before, ...change })),
    field(name, pointer = `/${name}`) {
      fields.add(pointer);
      return {
        value: draft[name],
        onChange: (value) => edit((before) => ({ ...before, [name]: value })),
        error: errorAt(errors, pointer),
      };
    },
    errors,
    fields,
    created: request.data,
    error: request.error,
    isBusy: request.isPending,
    isChanged: JSON.stringify(draft) !== JSON.stringify(start),
    submit,
    reset() {
      setDraft(start);
      request.reset();
    },
  };
}
