import { hub } from "../../live/hub.ts";
import { useCreateForm } from "../../live/use-create-form.ts";
import { Button } from "../../ui/button.tsx";
import { CopyText } from "../../ui/copy-text.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { Time } from "../../ui/zone.tsx";
import type { Role } from "./users.queries.ts";
import { roleOptions } from "./role-names.pick.ts";

/** A link with which the person chooses their own name and password. */
export function InviteUser({ onClose }: { onClose(): void }) {
  const form = useCreateForm({
    start: { email: "", name: "", role: "operator" as Role },
    create: ({ email, name, role }) =>
      hub.call("POST /api/v1/invitations", {
        body: { email: email.trim(), role, ...(name.trim() ? { name: name.trim() } : {}) },
      }),
    refetch: ["invitations"],
  });
  if (form.created) {
    const { email, emailedAt, url, expiresAt } = form.created;
    return (
      <LinkDialog title={`Invitation for ${email}`} url={url} expiresAt={expiresAt} onClose={onClose}>
        {emailedAt
          ? `The link was sent to ${email}. You can also copy it and send it yourself.`
          : `Copy the link and send it to ${email}. It is shown this one time.`}
      </LinkDialog>
    );
  }
  return (
    <FormDialog
      title="Invite user"
      submit="Create invitation"
      reason={!form.draft.email.includes("@") && "Enter an e-mail address."}
      form={form}
      onClose={onClose}
    >
      <TextField label="E-mail" type="email" {...form.field("email")} autoComplete="off" />
      <TextField label="Name (optional)" {...form.field("name")} autoComplete="off" maxLength={100} />
      <Select label="Role" {...form.field("role")} options={roleOptions} />
    </FormDialog>
  );
}

type LinkProps = { title: string; url: string; expiresAt: string; onClose(): void; children: string };

/** A link that is shown once. The hub gives a path where it does not know its public address. */
export function LinkDialog({ title, url, expiresAt, onClose, children }: LinkProps) {
  return (
    <Dialog
      title={title}
      isOpen
      onClose={onClose}
      footer={
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <p className="mb-2">{children}</p>
      <div className="rounded-md border border-line bg-bg px-2 py-1.5">
        <CopyText text={new URL(url, window.location.origin).href} label="Copy link" />
      </div>
      <p className="mt-2 text-muted">
        The link works once and expires <Time at={expiresAt} />.
      </p>
    </Dialog>
  );
}
