import type { ReactNode } from "react";
import { useEffect, useRef } from "react";
import { cx } from "./class-names.ts";
import { isAllOnFields } from "./field-errors.ts";
import { ProblemBox } from "./problem-box.tsx";

/** What a form needs in order to be sent; `useCreateForm` returns one. */
export type FormState = {
  submit(onDone?: () => void): void;
  isBusy: boolean;
  error: Error | null;
  /** Pointers of the fields that show their own errors. */
  fields?: Iterable<string>;
  /** Whether closing it would lose something that was entered. */
  isChanged?: boolean;
};

type Props = {
  form: FormState;
  /** Why it cannot be submitted yet. */
  reason?: string | false | undefined;
  id?: string;
  className?: string;
  onDone?: (() => void) | undefined;
  children: ReactNode;
};

/** The `form` element: sent by Enter in any field. After an error the first invalid field has focus. */
export function FormBody({ form, reason, id, className, onDone, children }: Props) {
  const { error } = form;
  const element = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (error) element.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [error]);
  return (
    <form
      ref={element}
      id={id}
      className={cx("flex flex-col gap-3", className)}
      onSubmit={(event) => {
        event.preventDefault();
        if (!reason && !form.isBusy) form.submit(onDone);
      }}
    >
      {children}
      {error && !isAllOnFields(error, [...(form.fields ?? [])]) && <ProblemBox error={error} />}
    </form>
  );
}
