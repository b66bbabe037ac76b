import { Dialog as Base } from "@base-ui/react/dialog";
import { HubApiError } from "@order-operations-hub/sdk/problem";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { useState } from "react";
import { setConnection } from "../live/connection.ts";
import { hub, queryClient } from "../live/hub.ts";
import { goToIssuer, signInMethodsQuery } from "../live/issuer-sign-in.ts";
import type { Me } from "../live/me.ts";
import { Button } from "../ui/button.tsx";
import { usePageTitle } from "../ui/page-title.ts";
import { ProblemBox } from "../ui/problem-box.tsx";
import { TextField } from "../ui/text-field.tsx";
import { text } from "./app.text.ts";
import { Brand } from "../ui/brand.tsx";
import { paths } from "./paths.ts";

type Given = { email: string; password: string; totpCode: string; organizationId: string };
type Organization = { id: string; name: string };
/** What the hub asks for after the password was accepted. */
type Asked = { is: "password" } | { is: "organization"; organizations: Organization[] } | { is: "code" };

/** Rendered in place of the page, so that the requested page appears after the sign-in. */
export function SignIn() {
  usePageTitle(`${text.signIn.title} · ${text.brand}`);
  const enter = async (): Promise<void> => {
    setConnection("there");
    await queryClient.resetQueries();
  };
  return (
    <main className="grid min-h-dvh place-items-center p-4">
      <div className="flex w-full max-w-[340px] flex-col gap-4 rounded-xl border border-line bg-panel p-6 shadow-pop">
        <Brand />
        <h1 className="text-xl font-semibold tracking-tight">{text.signIn.title}</h1>
        <SignInForm email="" onSignedIn={enter} />
      </div>
    </main>
  );
}

/** Over the page of an ended session, which keeps what was typed into it. */
export function SignInAgain({ me }: { me: Me }) {
  const goOn = async (): Promise<void> => {
    const now = await hub.call("GET /api/v1/me");
    // The page shows data of the user before.
    if (now.actor.id !== me.actor.id || now.organization.id !== me.organization.id) location.reload();
    setConnection("there");
    await queryClient.invalidateQueries();
  };
  return (
    <Base.Root open disablePointerDismissal>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-[#0a0c10]/60" />
        <Base.Popup className="fixed top-[12vh] left-1/2 z-50 flex w-[calc(100vw-24px)] max-w-[340px] -translate-x-1/2 flex-col gap-4 rounded-xl border border-line bg-panel p-6 shadow-pop">
          <Base.Title className="text-xl font-semibold tracking-tight">{text.signIn.title}</Base.Title>
          <Base.Description className="text-muted">{text.signedOut}</Base.Description>
          <SignInForm email={me.actor.email ?? ""} onSignedIn={goOn} />
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

function SignInForm({ email, onSignedIn }: { email: string; onSignedIn(): Promise<void> }) {
  const [given, setGiven] = useState<Given>({ email, password: "", totpCode: "", organizationId: "" });
  const [asked, setAsked] = useState<Asked>({ is: "password" });
  const signIn = useMutation({
    mutationFn: ({ totpCode, organizationId, ...rest }: Given) =>
      hub.call("POST /api/v1/auth/session", {
        body: { ...rest, ...(totpCode ? { totpCode } : {}), ...(organizationId ? { organizationId } : {}) },
      }),
    onError: (error) => setAsked(askedBy(error) ?? asked),
    onSuccess: onSignedIn,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    signIn.mutate(given);
  };
  const choose = (organizationId: string): void => {
    const next = { ...given, organizationId };
    setGiven(next);
    signIn.mutate(next);
  };
  const startOver = (): void => {
    setGiven({ ...given, totpCode: "", organizationId: "" });
    setAsked({ is: "password" });
    signIn.reset();
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      {asked.is === "password" && <Password given={given} onChange={setGiven} />}
      {asked.is === "code" && (
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
      )}
      {signIn.error && !askedBy(signIn.error) && <ProblemBox error={signIn.error} />}
      {asked.is === "organization" ? (
        <Organizations organizations={asked.organizations} isBusy={signIn.isPending} onChoose={choose} />
      ) : (
        <Button kind="primary" type="submit" isBusy={signIn.isPending}>
          {text.signIn.submit}
        </Button>
      )}
      {asked.is === "password" ? (
        <>
          {/* A page load: the router would show the former page, which needs a session, until the next one is loaded. */}
          <a
            href={paths.resetPassword()}
            className="inline-flex min-h-6 items-center self-start text-accent-text underline underline-offset-2"
          >
            {text.signIn.forgotten}
          </a>
          <ThroughIssuer />
        </>
      ) : (
        <Button kind="quiet" onClick={startOver}>
          {text.signIn.back}
        </Button>
      )}
    </form>
  );
}

function askedBy(error: unknown): Asked | undefined {
  if (!(error instanceof HubApiError)) return undefined;
  if (error.code === "totp_required") return { is: "code" };
  if (error.code !== "organization_required") return undefined;
  const { organizations } = error.problem as { organizations?: Organization[] };
  return organizations && { is: "organization", organizations };
}

function Password({ given, onChange }: { given: Given; onChange(given: Given): void }) {
  const [isKnown] = useState(given.email !== "");
  return (
    <>
      <TextField
        label={text.signIn.email}
        type="email"
        value={given.email}
        onChange={(email) => onChange({ ...given, email })}
        autoComplete="username"
        // oxlint-disable-next-line jsx-a11y/no-autofocus
        autoFocus={!isKnown}
        required
      />
      <TextField
        label={text.signIn.password}
        type="password"
        value={given.password}
        onChange={(password) => onChange({ ...given, password })}
        autoComplete="current-password"
        // oxlint-disable-next-line jsx-a11y/no-autofocus
        autoFocus={isKnown}
        required
      />
    </>
  );
}

type OrganizationsProps = { organizations: Organization[]; isBusy: boolean; onChoose(id: string): void };

/** The credentials match several organizations; the user picks one. */
function Organizations({ organizations, isBusy, onChoose }: OrganizationsProps) {
  return (
    <div role="group" aria-label={text.signIn.organization} className="flex flex-col gap-2">
      <p className="text-muted">{text.signIn.organizationHint}</p>
      {organizations.map(({ id, name }) => (
        <Button key={id} isBusy={isBusy} onClick={() => onChoose(id)}>
          {name}
        </Button>
      ))}
    </div>
  );
}

/** Sign-in through the identity provider, if one is configured. */
function ThroughIssuer() {
  const { data } = useQuery(signInMethodsQuery);
  const leave = useMutation({ mutationFn: () => goToIssuer(false) });
  if (!data?.identityProvider?.canSignIn) return null;
  return (
    <>
      {leave.error && <ProblemBox error={leave.error} />}
      {/* Stays busy after success: the browser is leaving the page. */}
      <Button isBusy={leave.isPending || leave.isSuccess} onClick={() => leave.mutate()}>
        {text.signIn.through(data.identityProvider.name)}
      </Button>
    </>
  );
}
