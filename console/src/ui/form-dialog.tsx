import type { ReactNode } from "react";
import { useId, useState } from "react";
import { Button } from "./button.tsx";
import { Confirm } from "./confirm.tsx";
import { Dialog } from "./dialog.tsx";
import type { FormState } from "./form-body.tsx";
import { FormBody } from "./form-body.tsx";

type Props = {
  title: string;
  form: FormState;
  /** Label of the submit button. */
  submit: string;
  /** Why it cannot be submitted yet. */
  reason?: string | false | undefined;
  isWide?: boolean;
  onClose(): void;
  children: ReactNode;
};

/** A form in a dialog. Escape and the close button ask before they discard what was entered; "Cancel" does not. */
export function FormDialog({ title, form, submit, reason, isWide = false, onClose, children }: Props) {
  const id = useId();
  const [isDiscarding, setDiscarding] = useState(false);
  return (
    <Dialog
      title={title}
      isOpen
      isWide={isWide}
      onClose={() => (form.isChanged ? setDiscarding(true) : onClose())}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form={id} isBusy={form.isBusy} disabledReason={reason}>
            {submit}
          </Button>
        </>
      }
    >
      <FormBody id={id} form={form} reason={reason}>
        {children}
      </FormBody>
      {isDiscarding && (
        <Confirm
          title="Discard your changes?"
          yes="Discard"
          no="Keep editing"
          run={async () => onClose()}
          onClose={() => setDiscarding(false)}
        >
          <p>What you entered is not saved.</p>
        </Confirm>
      )}
    </Dialog>
  );
}
