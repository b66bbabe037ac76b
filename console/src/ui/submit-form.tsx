import type { ComponentProps, ReactNode } from "react";
import { Button } from "./button.tsx";
import { FormBody } from "./form-body.tsx";
import { Popover } from "./popover.tsx";

type Props = Omit<ComponentProps<typeof FormBody>, "id"> & {
  /** Label of the submit button. */
  submit: string;
  kind?: "primary" | "plain";
};

/** A form on a page, with its submit button. */
export function SubmitForm({ submit, kind = "primary", children, ...body }: Props) {
  return (
    <FormBody {...body}>
      {children}
      <div>
        <Button kind={kind} type="submit" isBusy={body.form.isBusy} disabledReason={body.reason}>
          {submit}
        </Button>
      </div>
    </FormBody>
  );
}

type PopoverProps = Omit<Props, "onDone"> & { title: string; trigger: ReactNode; triggerClass: string };

/** A short form in a popover, which closes once it is sent. */
export function FormPopover({ title, trigger, triggerClass, ...form }: PopoverProps) {
  return (
    <Popover title={title} triggerClass={triggerClass} trigger={trigger}>
      {(close) => <SubmitForm {...form} onDone={close} />}
    </Popover>
  );
}
