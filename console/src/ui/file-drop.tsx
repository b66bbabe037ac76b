import type { ReactNode } from "react";
import { useId, useState } from "react";
import { buttonClass } from "./button.tsx";
import { cx } from "./class-names.ts";
import { Icon } from "./icons.tsx";

type Props = {
  label: string;
  /** Accepted file types, as in ".csv,text/csv". */
  accept: string;
  hint?: ReactNode;
  isBusy?: boolean;
  /** A button instead of a drop area. */
  isSmall?: boolean;
  onFile(file: File): void;
};

/** File input by drop or dialog. */
export function FileDrop({ label, accept, hint, isBusy = false, isSmall = false, onFile }: Props) {
  const id = useId();
  const [isOver, setOver] = useState(false);
  const input = (
    <input
      id={id}
      type="file"
      accept={accept}
      disabled={isBusy}
      className="peer sr-only"
      onChange={(event) => {
        const [file] = event.target.files ?? [];
        // Allow choosing the same file again after a correction.
        event.target.value = "";
        if (file) onFile(file);
      }}
    />
  );
  const button = (
    <label
      htmlFor={id}
      aria-busy={isBusy}
      className={buttonClass(
        isSmall ? "plain" : "primary",
        cx(
          "peer-focus-visible:outline-2 peer-focus-visible:outline-offset-1",
          isBusy ? "opacity-55" : "cursor-pointer",
        ),
      )}
    >
      {label}
    </label>
  );
  if (isSmall) {
    return (
      <span className="relative inline-flex">
        {input}
        {button}
      </span>
    );
  }
  return (
    <div
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        const [file] = event.dataTransfer.files;
        if (file && !isBusy) onFile(file);
      }}
      className={cx(
        "relative flex flex-col items-center gap-2.5 rounded-lg border border-dashed px-4 py-9 text-center",
        isOver ? "border-accent bg-accent-soft" : "border-line-strong bg-panel",
      )}
    >
      <span className="text-faint">
        <Icon name="arrow-up" size={20} />
      </span>
      <p className="text-muted">Drop a file here, or</p>
      {input}
      {button}
      {hint && <div className="max-w-md text-sm text-muted">{hint}</div>}
    </div>
  );
}
