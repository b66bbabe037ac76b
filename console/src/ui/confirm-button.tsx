import type { ReactNode } from "react";
import { useState } from "react";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { ProblemBox } from "./problem-box.tsx";

type Props = {
  label: ReactNode;
  /** The question, and what becomes of it. */
  title: string;
  children: ReactNode;
  confirm: string;
  keep?: string;
  kind?: "danger" | "plain" | "primary" | "quiet";
  /** Cannot be taken back, whatever the button looks like. */
  isDangerous?: boolean;
  disabledReason?: string | false | undefined;
  run(): Promise<unknown>;
};

/** Something that is not easily taken back: what becomes of it is said before it is done. */
export function ConfirmButton({
  label,
  title,
  children,
  confirm,
  keep = "Leave it",
  kind = "danger",
  isDangerous = kind === "danger",
  ...rest
}: Props) {
  const [isOpen, setOpen] = useState(false);
  const [state, setState] = useState<{ isBusy?: boolean; error?: unknown }>({});
  const act = async (): Promise<void> => {
    setState({ isBusy: true });
    try {
      await rest.run();
      setState({});
      setOpen(false);
    } catch (error) {
      setState({ error });
    }
  };
  return (
    <>
      <Button kind={kind} disabledReason={rest.disabledReason} onClick={() => setOpen(true)}>
        {label}
      </Button>
      <Dialog
        title={title}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        footer={
          <>
            <Button onClick={() => setOpen(false)}>{keep}</Button>
            <Button kind={isDangerous ? "danger" : "primary"} isBusy={state.isBusy ?? false} onClick={() => void act()}>
              {confirm}
            </Button>
          </>
        }
      >
        <div className="flex flex-col gap-2.5">
          {children}
          {state.error !== undefined && <ProblemBox error={state.error} />}
        </div>
      </Dialog>
    </>
  );
}
