import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";

/** Asks before something that cannot be taken back by the same button. */
export function Confirm({
  title,
  yes,
  no = "Keep it",
  isBusy,
  onYes,
  onClose,
  children,
}: {
  title: string;
  yes: string;
  no?: string;
  isBusy: boolean;
  onYes(): void;
  onClose(): void;
  children: ReactNode;
}) {
  return (
    <Dialog
      title={title}
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{no}</Button>
          <Button kind="danger" isBusy={isBusy} onClick={onYes}>
            {yes}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-2.5">{children}</div>
    </Dialog>
  );
}
