import { useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { hub } from "../../live/hub.ts";
import { signInMethodsQuery } from "../../live/issuer-sign-in.ts";
import { useCreateForm } from "../../live/use-create-form.ts";
import { Skeleton } from "../../ui/card.tsx";
import { Link } from "../../ui/link.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { SubmitForm } from "../../ui/submit-form.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { LinkCard, useLinkToken } from "./link-card.tsx";
import { NewPassword, passwordRule } from "./new-password.pick.tsx";

/** Without a link, a form that asks for one; with a link, the form for the new password. */
export function ResetPasswordPage() {
  const token = useLinkToken();
  return (
    <LinkCard title={token ? "Choose a new password" : "Forgot your password?"}>
      {token ? <Choose token={token} key={token} /> : <Request />}
      <Link
        href={paths.overview()}
        className="inline-flex min-h-6 items-center self-start text-accent-text underline underline-offset-2"
      >
        Back to sign-in
      </Link>
    </LinkCard>
  );
}

function Request() {
  const { data, error } = useQuery(signInMethodsQuery);
  const form = useCreateForm({
    start: { email: "" },
    create: ({ email }) => hub.call("POST /api/v1/auth/password-reset", { body: { email: email.trim() } }),
  });
  if (error) return <ProblemBox error={error} />;
  if (!data) return <Skeleton rows={2} />;
  if (!data.passwordReset) {
    return (
      <p>This hub sends no e-mail. Ask an administrator of your organization for a link to choose a new password.</p>
    );
  }
  if (form.created) {
    return (
      <p role="status">
        If {form.draft.email.trim()} has an account, a link is on its way. It works once and expires in 1 hour.
      </p>
    );
  }
  return (
    <SubmitForm form={form} submit="Send link" reason={!form.draft.email.includes("@") && "Enter an e-mail address."}>
      <TextField label="E-mail" type="email" {...form.field("email")} autoComplete="username" />
    </SubmitForm>
  );
}

function Choose({ token }: { token: string }) {
  const { data, error } = useQuery({
    queryKey: ["auth", "password-reset", token],
    queryFn: () => hub.call("POST /api/v1/auth/password-reset/check", { body: { token } }),
    retry: false,
    refetchOnWindowFocus: false,
  });
  const form = useCreateForm({
    start: { password: "" },
    create: ({ password }) => hub.call("POST /api/v1/auth/password-reset/confirm", { body: { token, password } }),
  });
  if (form.created) {
    return <p role="status">Your password is changed. You are signed out everywhere. Sign in with the new password.</p>;
  }
  if (error) {
    return (
      <>
        <ProblemBox error={error} />
        <a href={paths.resetPassword()} className="text-accent-text underline underline-offset-2">
          Request another link
        </a>
      </>
    );
  }
  if (!data) return <Skeleton rows={2} />;
  return (
    <SubmitForm form={form} submit="Change password" reason={passwordRule(form.draft.password)}>
      <p>
        For {data.email} in {data.organization}. All sessions of this account end.
      </p>
      <NewPassword label="New password" {...form.field("password")} />
    </SubmitForm>
  );
}
