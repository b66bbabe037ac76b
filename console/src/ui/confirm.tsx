import type { ReactNode } from "react";
import { useState } from "react";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { ProblemBox } from "./problem-box.tsx";

type Question = {
  /** The question; `children` say what becomes of it. */
  title: string;
  yes: string;
  no?: string;
  /** Cannot be taken back. */
  isDangerous?: boolean;
  /** What is done then. When it fails, the question stays and says why. */
  run(): Promise<unknown>;
  children: ReactNode;
};

/** Asks before something that cannot be taken back by the same button, and does it. */
export function Confirm({
  title,
  yes,
  no = "Not now",
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

/** Something that is not easily taken back: what becomes of it is said before it is done. */
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
