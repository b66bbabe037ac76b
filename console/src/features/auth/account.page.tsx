import { HubApiError } from "@order-operations-hub/sdk/problem";
import { useMutation, useQuery } from "@tanstack/react-query";
import { hub, queryClient } from "../../live/hub.ts";
import { totpQuery, useMe } from "../../live/me.ts";
import { useCreateForm } from "../../live/use-create-form.ts";
import { Button } from "../../ui/button.tsx";
import { Card, Heading } from "../../ui/card.tsx";
import { FactList } from "../../ui/facts.tsx";
import { plural } from "../../ui/format.ts";
import { PageHead } from "../../ui/page-head.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { SubmitForm } from "../../ui/submit-form.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { showToast } from "../../ui/toast.tsx";
import { Sessions } from "../users/sessions.pick.tsx";
import { Totp } from "./totp.tsx";

/** The user's own account: password, authenticator app and sessions. */
export function AccountPage() {
  const me = useMe();
  const endOthers = useMutation({
    mutationFn: () => hub.call("POST /api/v1/sessions/revoke-others"),
    onSuccess: async ({ revokedCount }) => {
      await queryClient.invalidateQueries({ queryKey: ["sessions"] });
      showToast(revokedCount === 0 ? "No other active sessions" : `${plural(revokedCount, "session")} revoked`);
    },
  });
  return (
    <>
      <PageHead title="My account" note={me.actor.email} />
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-3.5 xl:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
        <div className="flex flex-col gap-3.5">
          <Card className="px-3 py-2" label="Who I am">
            <FactList
              facts={[
                ["Name", me.name],
                ["E-mail", me.actor.email ?? "–"],
                ["Organization", me.organization.name],
                ["Role", me.role ?? "none"],
                ["Scopes", plural(me.scopes.length, "scope")],
              ]}
            />
          </Card>
          <Secrets />
        </div>
        <div>
          <Heading title="Where I am signed in">
            <Button isBusy={endOthers.isPending} onClick={() => endOthers.mutate()}>
              End all others
            </Button>
          </Heading>
          {endOthers.error && <ProblemBox error={endOthers.error} />}
          <Sessions />
        </div>
      </div>
    </>
  );
}

/** Users of an identity provider have no password here; the hub answers so. */
function Secrets() {
  const { error } = useQuery(totpQuery);
  if (error instanceof HubApiError && error.status === 409) {
    return (
      <Card className="px-3 py-2.5" label="Signing in">
        <Heading title="Signing in" />
        <p className="text-muted">Your identity provider asks for your password and codes; both are changed there.</p>
      </Card>
    );
  }
  return (
    <>
      <Card className="flex flex-col gap-1.5 px-3 py-2.5" label="Authenticator app">
        <Totp />
      </Card>
      <Card className="flex flex-col gap-1.5 px-3 py-2.5" label="Password">
        <Password />
      </Card>
    </>
  );
}

function Password() {
  const form = useCreateForm({
    start: { currentPassword: "", newPassword: "" },
    create: (body) => hub.call("POST /api/v1/me/password", { body }),
    // The change ends all sessions, this one too: the next request asks to sign in.
    refetch: [],
  });
  const { currentPassword, newPassword } = form.draft;
  return (
    <SubmitForm
      form={form}
      kind="plain"
      submit="Change the password"
      reason={
        (!currentPassword || newPassword.length < 10) &&
        "Enter your current password and a new one (at least 10 characters)."
      }
    >
      <Heading title="Password" note="a change signs you out everywhere" />
      <TextField
        label="Current password"
        type="password"
        {...form.field("currentPassword")}
        autoComplete="current-password"
      />
      <TextField
        label="New password"
        type="password"
        hint="At least 10 characters."
        {...form.field("newPassword")}
        autoComplete="new-password"
      />
    </SubmitForm>
  );
}
