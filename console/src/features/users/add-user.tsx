import { hub } from "../../live/hub.ts";
import { useCreateForm } from "../../live/use-create-form.ts";
import { Checkbox } from "../../ui/checkbox.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { showToast } from "../../ui/toast.tsx";
import { NewPassword, passwordRule } from "../auth/new-password.pick.tsx";
import type { Role } from "./users.queries.ts";
import { roleOptions } from "./role-names.pick.ts";

/** A user who signs in through the identity provider, or with a password that the administrator hands over. */
export function AddUser({ onClose }: { onClose(): void }) {
  const form = useCreateForm({
    start: { email: "", name: "", role: "operator" as Role, password: "", isByIssuer: false },
    create: ({ email, name, role, password, isByIssuer }) =>
      hub.call("POST /api/v1/users", {
        body: {
          email: email.trim(),
          role,
          ...(name.trim() ? { name: name.trim() } : {}),
          ...(isByIssuer ? {} : { password }),
        },
      }),
    refetch: ["users"],
    onCreated: (user) => {
      showToast(`${user.email} can sign in now`);
      onClose();
    },
  });
  const { email, password, isByIssuer } = form.draft;
  const reason =
    (!email.includes("@") && "Enter an e-mail address.") || (!isByIssuer && passwordRule(password)) || undefined;
  return (
    <FormDialog title="Add user" submit="Add user" reason={reason} form={form} onClose={onClose}>
      <TextField label="E-mail" type="email" {...form.field("email")} autoComplete="off" />
      <TextField label="Name (optional)" {...form.field("name")} autoComplete="off" />
      <Select label="Role" {...form.field("role")} options={roleOptions} />
      <Checkbox
        label="Signs in through the identity provider only"
        isChecked={isByIssuer}
        onChange={(next) => form.set({ isByIssuer: next })}
      />
      {!isByIssuer && (
        <>
          <NewPassword label="First password" {...form.field("password")} />
          <p className="text-sm text-muted">
            Give the password to the user yourself. With an invitation, users choose their own.
          </p>
        </>
      )}
    </FormDialog>
  );
}
