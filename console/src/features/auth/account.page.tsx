import { HubApiError } from "@order-operations-hub/sdk/problem";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { hub, queryClient } from "../../live/hub.ts";
import { totpQuery, useMe } from "../../live/me.ts";
import { Button } from "../../ui/button.tsx";
import { Card, Heading } from "../../ui/card.tsx";
import { FactList } from "../../ui/facts.tsx";
import { fieldError } from "../../ui/field-errors.ts";
import { plural } from "../../ui/format.ts";
import { PageHead } from "../../ui/page-head.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { tell } from "../../ui/toast.tsx";
import { Sessions } from "../users/sessions.pick.tsx";
import { Totp } from "./totp.tsx";

/** What is one's own: password, authenticator app, where one is signed in. */
export function AccountPage() {
  const me = useMe();
  const endOthers = useMutation({
    mutationFn: () => hub.call("POST /api/v1/sessions/revoke-others"),
    onSuccess: async ({ revokedCount }) => {
      await queryClient.invalidateQueries({ queryKey: ["sessions"] });
      tell(revokedCount === 0 ? "No other active sessions" : `${plural(revokedCount, "session")} revoked`);
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
                ["May", plural(me.scopes.length, "scope")],
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

/** The hub has none of somebody whom an identity provider vouches for, and says so. */
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
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const change = useMutation({
    mutationFn: () => hub.call("POST /api/v1/me/password", { body: { currentPassword: current, newPassword: next } }),
    // It ends all sessions, this one too: the next request asks to sign in.
    onSuccess: () => queryClient.invalidateQueries(),
  });
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (current && next) change.mutate();
      }}
    >
      <Heading title="Password" note="a change signs you out everywhere" />
      <TextField
        label="Present password"
        type="password"
        error={fieldError(change.error, "/currentPassword")}
        value={current}
        onChange={setCurrent}
        autoComplete="current-password"
      />
      <TextField
        label="New password"
        type="password"
        hint="At least 10 characters."
        error={fieldError(change.error, "/newPassword")}
        value={next}
        onChange={setNext}
        autoComplete="new-password"
      />
      {change.error && <ProblemBox error={change.error} />}
      <div>
        <Button
          type="submit"
          isBusy={change.isPending}
          disabledReason={
            (!current || next.length < 10) && "Say the present one, and a new one of at least 10 characters."
          }
        >
          Change the password
        </Button>
      </div>
    </form>
  );
}
