import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { hub, queryClient } from "../../live/hub.ts";
import { Checkbox } from "../../ui/checkbox.tsx";
import { fieldError } from "../../ui/field-errors.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { tell } from "../../ui/toast.tsx";
import type { Role } from "./users.queries.ts";
import { roleOptions } from "./users.text.ts";

/** Somebody new. The hub sends no mail: whoever invites hands the first password over, and the other changes it. */
export function InviteUser({ onClose }: { onClose(): void }) {
  const [email, setEmail] = useState("");
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>("operator");
  const [password, setPassword] = useState("");
  const [isByIssuer, setByIssuer] = useState(false);
  const invite = useMutation({
    mutationFn: () =>
      hub.call("POST /api/v1/users", {
        body: {
          email: email.trim(),
          role,
          ...(name.trim() ? { name: name.trim() } : {}),
          ...(isByIssuer ? {} : { password }),
        },
      }),
    onSuccess: async (user) => {
      await queryClient.invalidateQueries({ queryKey: ["users"] });
      tell(`${user.email} can sign in now`);
      onClose();
    },
  });
  const reason =
    (!email.includes("@") && "Say their e-mail address.") ||
    (!isByIssuer && password.length < 10 && "A first password of at least 10 characters is needed.");
  return (
    <FormDialog
      title="Somebody new"
      submit="Let them in"
      reason={reason}
      action={invite}
      fields={["/email", "/name", "/password"]}
      onClose={onClose}
    >
      <TextField
        label="E-mail"
        type="email"
        error={fieldError(invite.error, "/email")}
        value={email}
        onChange={setEmail}
        autoComplete="off"
      />
      <TextField
        label="Name (optional)"
        error={fieldError(invite.error, "/name")}
        value={name}
        onChange={setName}
        autoComplete="off"
      />
      <Select label="Role" value={role} options={roleOptions} onChange={(next) => setRole(next as Role)} />
      <Checkbox label="Signs in through the identity provider only" isChecked={isByIssuer} onChange={setByIssuer} />
      {!isByIssuer && (
        <TextField
          label="First password"
          hint="Hand it over yourself; they change it under their account."
          error={fieldError(invite.error, "/password")}
          value={password}
          onChange={setPassword}
          autoComplete="new-password"
        />
      )}
    </FormDialog>
  );
}
