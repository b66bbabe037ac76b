import { hub, queryClient } from "../../live/hub.ts";
import { useMe } from "../../live/me.ts";
import { useCreateForm } from "../../live/use-create-form.ts";
import { initialsOf } from "../../ui/initials.ts";
import { SubmitForm } from "../../ui/submit-form.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { showToast } from "../../ui/toast.tsx";

const refreshMe = (): Promise<void> => queryClient.invalidateQueries({ queryKey: ["me"] });

/** The user's own name. */
export function NameForm() {
  const me = useMe();
  const form = useCreateForm({
    start: { name: me.name },
    create: ({ name }) => hub.call("PATCH /api/v1/me", { body: { name: name.trim() } }),
    onCreated: async () => {
      await refreshMe();
      showToast("Name saved");
    },
  });
  const name = form.draft.name.trim();
  return (
    <SubmitForm
      form={form}
      kind="plain"
      submit="Save name"
      reason={name === "" ? "Enter your name." : name === me.name && "Nothing is changed."}
    >
      <div className="flex items-end gap-2.5">
        <span
          aria-hidden
          className="grid size-7 shrink-0 place-items-center rounded-full bg-accent text-sm font-semibold text-on-accent"
        >
          {initialsOf(name)}
        </span>
        <div className="min-w-0 flex-1">
          <TextField label="Name" {...form.field("name")} maxLength={100} autoComplete="name" />
        </div>
      </div>
    </SubmitForm>
  );
}

/** With the password, since links for a new password go to this address. */
export function EmailForm() {
  const me = useMe();
  const form = useCreateForm({
    start: { email: me.actor.email ?? "", currentPassword: "" },
    create: ({ email, currentPassword }) =>
      hub.call("POST /api/v1/me/email", { body: { email: email.trim(), currentPassword } }),
    onCreated: async (user) => {
      form.set({ currentPassword: "" });
      await refreshMe();
      showToast("E-mail address changed", { text: `Sign in with ${user.email} from now on.` });
    },
  });
  const { email, currentPassword } = form.draft;
  const reason =
    (!email.includes("@") && "Enter an e-mail address.") ||
    (email.trim() === me.actor.email && "Nothing is changed.") ||
    (currentPassword === "" && "Enter your current password.");
  return (
    <SubmitForm form={form} kind="plain" submit="Change e-mail" reason={reason}>
      <TextField label="E-mail" type="email" {...form.field("email")} autoComplete="username" />
      <TextField
        label="Current password, to change the e-mail"
        type="password"
        {...form.field("currentPassword")}
        autoComplete="current-password"
      />
    </SubmitForm>
  );
}
