import type { ComponentProps, ReactNode } from "react";
import { lazy, Suspense, useId } from "react";
import { cx } from "./class-names.ts";
import type { MomentKind } from "./moment-text.ts";
import { loadPart } from "./load-part.ts";

export const inputClass =
  "h-7 w-full min-w-0 rounded-md border border-line-strong bg-raised px-2 text-text aria-invalid:border-bad placeholder:text-faint";

type FieldProps = { label: ReactNode; hint?: ReactNode; error?: string | undefined; isLabelHidden?: boolean };

/** Label, field, and hint or error, connected for screen readers. */
export function Field({
  label,
  hint,
  error,
  isLabelHidden,
  children,
}: FieldProps & { children(ids: { id: string; "aria-describedby"?: string; "aria-invalid"?: true }): ReactNode }) {
  const id = useId();
  const note = error ?? hint;
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className={isLabelHidden ? "sr-only" : "text-sm font-medium text-muted"}>
        {label}
      </label>
      {children({
        id,
        ...(note ? { "aria-describedby": `${id}-note` } : {}),
        ...(error ? { "aria-invalid": true } : {}),
      })}
      {note && (
        <p id={`${id}-note`} className={cx("text-sm", error ? "text-bad" : "text-faint")}>
          {note}
        </p>
      )}
    </div>
  );
}

type TextProps = FieldProps & Omit<ComponentProps<"input">, "onChange"> & { onChange(value: string): void };

// Few pages have one, and none of those that are loaded first.
const MomentInput = lazy(loadPart(async () => ({ default: (await import("./moment-input.tsx")).MomentInput })));

/** Native date and time fields follow the language of the browser, beside 24-hour times everywhere else. */
const isMoment = (type: string | undefined): type is MomentKind =>
  type === "date" || type === "time" || type === "datetime-local";

export function TextField({ label, hint, error, isLabelHidden, onChange, className, type, ...rest }: TextProps) {
  const look = cx(inputClass, className);
  return (
    <Field label={label} hint={hint} error={error} isLabelHidden={isLabelHidden ?? false}>
      {(ids) =>
        isMoment(type) ? (
          <Suspense fallback={<span className={look} />}>
            <MomentInput
              {...rest}
              {...ids}
              kind={type}
              value={String(rest.value ?? "")}
              onChange={onChange}
              className={look}
            />
          </Suspense>
        ) : (
          <input
            {...rest}
            {...ids}
            {...(type ? { type } : {})}
            onChange={(event) => onChange(event.target.value)}
            className={look}
          />
        )
      }
    </Field>
  );
}

type AreaProps = FieldProps & Omit<ComponentProps<"textarea">, "onChange"> & { onChange(value: string): void };

export function TextArea({ label, hint, error, isLabelHidden, onChange, className, ...rest }: AreaProps) {
  return (
    <Field label={label} hint={hint} error={error} isLabelHidden={isLabelHidden ?? false}>
      {(ids) => (
        <textarea
          rows={3}
          {...rest}
          {...ids}
          onChange={(event) => onChange(event.target.value)}
          className={cx(inputClass, "h-auto resize-y py-1.5", className)}
        />
      )}
    </Field>
  );
}
