import type { ReactNode } from "react";
import { useState } from "react";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { ProblemBox } from "./problem-box.tsx";

type Question = {
  /** The question; `children` describe the consequences. */
  title: string;
  yes: string;
  no?: string;
  /** Irreversible. */
  isDangerous?: boolean;
  /** Runs on confirmation. After a failure the dialog stays open and shows the error. */
  run(): Promise<unknown>;
  children: ReactNode;
};

/** Confirmation dialog that runs the action. */
export function Confirm({
  title,
  yes,
  no = "Cancel",
  isDangerous = true,
  run,
  onClose,
  children,
}: Question & { onClose(): void }) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const act = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      await run();
      onClose();
    } catch (failure) {
      setError(failure);
    }
    setBusy(false);
  };
  return (
    <Dialog
      title={title}
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{no}</Button>
          <Button kind={isDangerous ? "danger" : "primary"} isBusy={isBusy} onClick={() => void act()}>
            {yes}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-2.5">
        {children}
        {error !== undefined && <ProblemBox error={error} />}
      </div>
    </Dialog>
  );
}

type ConfirmButtonProps = Question & {
  label: ReactNode;
  kind?: "danger" | "plain" | "primary" | "quiet";
  disabledReason?: string | false | undefined;
};

/** Button that asks for confirmation. */
export function ConfirmButton({ label, kind = "danger", disabledReason, ...question }: ConfirmButtonProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button kind={kind} disabledReason={disabledReason} onClick={() => setOpen(true)}>
        {label}
      </Button>
      {isOpen && <Confirm isDangerous={kind === "danger"} {...question} onClose={() => setOpen(false)} />}
    </>
  );
}
