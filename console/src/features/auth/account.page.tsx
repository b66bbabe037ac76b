import { HubApiError } from "@order-operations-hub/sdk/problem";
import { useMutation, useQuery } from "@tanstack/react-query";
import { hub, queryClient } from "../../live/hub.ts";
import { totpQuery, useMe } from "../../live/me.ts";
import { useCreateForm } from "../../live/use-create-form.ts";
import { Button } from "../../ui/button.tsx";
import { Card, Heading } from "../../ui/card.tsx";
import { FactList } from "../../ui/facts.tsx";
import { Fold } from "../../ui/fold.tsx";
import { plural } from "../../ui/format.ts";
import { PageHead } from "../../ui/page-head.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { SubmitForm } from "../../ui/submit-form.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { showToast } from "../../ui/toast.tsx";
import { NotificationSettings } from "../notifications/notification-settings.pick.tsx";
import { roleName } from "../users/role-names.pick.ts";
import { Sessions } from "../users/sessions.pick.tsx";
import { NewPassword, passwordRule } from "./new-password.pick.tsx";
import { EmailForm, NameForm } from "./profile-form.tsx";
import { Totp } from "./totp.tsx";

/** The user's own account: password, authenticator app and sessions. */
export function AccountPage() {
  const me = useMe();
  const endOthers = useMutation({
    mutationFn: () => hub.call("POST /api/v1/sessions/revoke-others"),
    onSuccess: async ({ revokedCount }) => {
      await queryClient.invalidateQueries({ queryKey: ["sessions"] });
      showToast(revokedCount === 0 ? "No other active sessions" : `${plural(revokedCount, "session")} ended`);
    },
  });
  return (
    <>
      <PageHead title="My account" note={me.actor.email} />
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-3.5 xl:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
        <div className="flex flex-col gap-3.5">
          <Card className="flex flex-col gap-3 px-3 py-2.5" label="Profile">
            <NameForm />
            <FactList
              facts={[
                ["Organization", me.organization.name],
                ["Role", roleName(me.role)],
              ]}
            />
            <Fold title={`Details: ${plural(me.scopes.length, "permission")}`}>
              <p className="font-mono text-sm break-words text-muted">{me.scopes.join(", ")}</p>
            </Fold>
          </Card>
          <Secrets />
        </div>
        <div className="flex flex-col gap-3.5">
          <div>
            <Heading title="Active sessions">
              <Button isBusy={endOthers.isPending} onClick={() => endOthers.mutate()}>
                End other sessions
              </Button>
            </Heading>
            {endOthers.error && <ProblemBox error={endOthers.error} />}
            <Sessions />
          </div>
          <NotificationSettings />
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
      <Card className="px-3 py-2.5" label="Sign-in">
        <Heading title="Sign-in" />
        <p className="text-muted">
          You sign in through your identity provider. Change your password and second factor there.
        </p>
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
      <Card className="flex flex-col gap-1.5 px-3 py-2.5" label="E-mail">
        <Heading title="E-mail" note="You sign in with this address" />
        <EmailForm />
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
      submit="Change password"
      reason={currentPassword === "" ? "Enter your current password." : passwordRule(newPassword)}
    >
      <Heading title="Password" note="A change signs you out everywhere" />
      <TextField
        label="Current password"
        type="password"
        {...form.field("currentPassword")}
        autoComplete="current-password"
      />
      <NewPassword label="New password" {...form.field("newPassword")} />
    </SubmitForm>
  );
}
