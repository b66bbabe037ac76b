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
  children: ReactNode;
};

/** Asks before something that cannot be taken back by the same button. */
export function Confirm({
  title,
  yes,
  no = "Keep it",
  isDangerous = true,
  isBusy,
  onYes,
  onClose,
  children,
}: Question & { isBusy: boolean; onYes(): void; onClose(): void }) {
  return (
    <Dialog
      title={title}
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{no}</Button>
          <Button kind={isDangerous ? "danger" : "primary"} isBusy={isBusy} onClick={onYes}>
            {yes}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-2.5">{children}</div>
    </Dialog>
  );
}

type ConfirmButtonProps = Question & {
  label: ReactNode;
  kind?: "danger" | "plain" | "primary" | "quiet";
  disabledReason?: string | false | undefined;
  run(): Promise<unknown>;
};

/** Something that is not easily taken back: what becomes of it is said before it is done. */
export function ConfirmButton({
  label,
  kind = "danger",
  disabledReason,
  run,
  children,
  ...question
}: ConfirmButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const [state, setState] = useState<{ isBusy?: boolean; error?: unknown }>({});
  const act = async (): Promise<void> => {
    setState({ isBusy: true });
    try {
      await run();
      setState({});
      setOpen(false);
    } catch (error) {
      setState({ error });
    }
  };
  return (
    <>
      <Button kind={kind} disabledReason={disabledReason} onClick={() => setOpen(true)}>
        {label}
      </Button>
      {isOpen && (
        <Confirm
          no="Leave it"
          isDangerous={kind === "danger"}
          {...question}
          isBusy={state.isBusy ?? false}
          onYes={() => void act()}
          onClose={() => setOpen(false)}
        >
          {children}
          {state.error !== undefined && <ProblemBox error={state.error} />}
        </Confirm>
      )}
    </>
  );
}
