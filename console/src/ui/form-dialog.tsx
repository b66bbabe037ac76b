import type { ReactNode } from "react";
import { useId } from "react";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { isAllOnFields } from "./field-errors.ts";
import { ProblemBox } from "./problem-box.tsx";

type Props = {
  title: string;
  /** What the button says. */
  submit: string;
  /** Why it cannot be sent yet. */
  reason?: string | false | undefined;
  /** What sends it, such as a mutation. */
  action: { mutate(): void; isPending: boolean; error: Error | null };
  /** Pointers of the fields that say themselves what is wrong with them. */
  fields?: readonly string[];
  isWide?: boolean;
  onClose(): void;
  children: ReactNode;
};

/** A few fields over the page, and what sends them: the button, or Enter in any of them. */
export function FormDialog({ title, submit, reason, action, fields = [], isWide, onClose, children }: Props) {
  const id = useId();
  const { error, isPending } = action;
  return (
    <Dialog
      title={title}
      isOpen
      isWide={isWide ?? false}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Not now</Button>
          <Button kind="primary" type="submit" form={id} isBusy={isPending} disabledReason={reason}>
            {submit}
          </Button>
        </>
      }
    >
      <form
        id={id}
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (!reason && !isPending) action.mutate();
        }}
      >
        {children}
        {error && !isAllOnFields(error, fields) && <ProblemBox error={error} />}
      </form>
    </Dialog>
  );
}
