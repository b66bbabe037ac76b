import { HubApiError } from "@order-operations-hub/sdk/problem";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { useState } from "react";
import { setConnection } from "../live/connection.ts";
import { hub, queryClient } from "../live/hub.ts";
import { goToIssuer, signInMethodsQuery } from "../live/issuer-sign-in.ts";
import { Button } from "../ui/button.tsx";
import { ProblemBox } from "../ui/problem-box.tsx";
import { TextField } from "../ui/text-field.tsx";
import { text } from "./app.text.ts";
import { Brand } from "./brand.tsx";

type Given = { email: string; password: string; totpCode: string };

/** Stands where the page would be: after signing in one is where one wanted to go. */
export function SignIn({ note }: { note?: string | undefined }) {
  const [given, setGiven] = useState<Given>({ email: "", password: "", totpCode: "" });
  const [needsCode, setNeedsCode] = useState(false);
  const signIn = useMutation({
    mutationFn: ({ totpCode, ...rest }: Given) =>
      hub.call("POST /api/v1/auth/session", { body: { ...rest, ...(totpCode ? { totpCode } : {}) } }),
    onError: (error) => {
      if (error instanceof HubApiError && error.code === "totp_required") setNeedsCode(true);
    },
    onSuccess: async () => {
      setConnection("there");
      await queryClient.resetQueries();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    signIn.mutate(given);
  };
  const isAskingForCode = signIn.error instanceof HubApiError && signIn.error.code === "totp_required";
  return (
    <main className="grid min-h-dvh place-items-center p-4">
      <form
        onSubmit={submit}
        className="flex w-full max-w-[340px] flex-col gap-4 rounded-xl border border-line bg-panel p-6 shadow-pop"
      >
        <Brand />
        <h1 className="text-xl font-semibold tracking-tight">{text.signIn.title}</h1>
        {note && <p className="text-muted">{note}</p>}
        {needsCode ? (
          <TextField
            label={text.signIn.totp}
            hint={text.signIn.totpHint}
            value={given.totpCode}
            onChange={(totpCode) => setGiven({ ...given, totpCode })}
            autoComplete="one-time-code"
            inputMode="numeric"
            // oxlint-disable-next-line jsx-a11y/no-autofocus
            autoFocus
            required
          />
        ) : (
          <>
            <TextField
              label={text.signIn.email}
              type="email"
              value={given.email}
              onChange={(email) => setGiven({ ...given, email })}
              autoComplete="username"
              // oxlint-disable-next-line jsx-a11y/no-autofocus
              autoFocus
              required
            />
            <TextField
              label={text.signIn.password}
              type="password"
              value={given.password}
              onChange={(password) => setGiven({ ...given, password })}
              autoComplete="current-password"
              required
            />
          </>
        )}
        {signIn.error && !isAskingForCode && <ProblemBox error={signIn.error} />}
        <Button kind="primary" type="submit" isBusy={signIn.isPending}>
          {text.signIn.submit}
        </Button>
        <ThroughIssuer />
        {needsCode && (
          <Button kind="quiet" onClick={() => setNeedsCode(false)}>
            {text.signIn.back}
          </Button>
        )}
      </form>
    </main>
  );
}

/** The other way in, where the hub has one. */
function ThroughIssuer() {
  const { data } = useQuery(signInMethodsQuery);
  const leave = useMutation({ mutationFn: () => goToIssuer(false) });
  if (!data?.issuer?.canSignIn) return null;
  return (
    <>
      {leave.error && <ProblemBox error={leave.error} />}
      {/* The browser is on its way to another page by then. */}
      <Button isBusy={leave.isPending || leave.isSuccess} onClick={() => leave.mutate()}>
        {text.signIn.through(data.issuer.name)}
      </Button>
    </>
  );
}
