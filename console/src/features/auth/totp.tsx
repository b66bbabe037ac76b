import { useMutation, useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { hub, queryClient } from "../../live/hub.ts";
import { totpQuery } from "../../live/me.ts";
import { useCreateForm } from "../../live/use-create-form.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Heading } from "../../ui/card.tsx";
import { CopyText } from "../../ui/copy-text.tsx";
import { plural } from "../../ui/format.ts";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { SubmitForm } from "../../ui/submit-form.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { loadPart } from "../../ui/load-part.ts";

// Loaded on demand: only the set-up shows it.
const QrImage = lazy(loadPart(async () => ({ default: (await import("../../ui/qr-image.tsx")).QrImage })));

/** Two-factor sign-in. Set up in three steps: secret, first code, recovery codes. */
export function Totp() {
  const { data: totp, error } = useQuery(totpQuery);
  const fresh = (): Promise<void> => queryClient.invalidateQueries(totpQuery);
  const begin = useMutation({ mutationFn: () => hub.call("POST /api/v1/me/totp") });
  const confirm = useCreateForm({
    start: { code: "" },
    create: ({ code }) => hub.call("POST /api/v1/me/totp/confirm", { body: { code: code.trim() } }),
    onCreated: fresh,
  });
  const renew = useMutation({ mutationFn: () => hub.call("POST /api/v1/me/totp/recovery-codes"), onSuccess: fresh });
  const end = useMutation({ mutationFn: () => hub.call("DELETE /api/v1/me/totp"), onSuccess: fresh });
  const codes = renew.data ?? confirm.created;
  const isOn = totp?.isEnabled ?? false;
  return (
    <>
      <Heading
        title="Authenticator app"
        note={totp && <Badge tone={isOn ? "ok" : "skip"}>{isOn ? "On" : "Off"}</Badge>}
      />
      {error && <ProblemBox error={error} />}
      {codes && <RecoveryCodes codes={codes.recoveryCodes} />}
      {isOn && !codes && <p className="text-muted">{plural(totp?.recoveryCodesLeft ?? 0, "recovery code")} left.</p>}
      {totp && !isOn && !begin.data && <p className="text-muted">Adds a code from your phone to each sign-in.</p>}
      {!isOn && begin.data && (
        <SubmitForm form={confirm} submit="Turn on" reason={!confirm.draft.code.trim() && "Enter the code."}>
          <p>1. Scan this code with the app, or enter the secret there.</p>
          <div className="flex flex-wrap items-center gap-3">
            <Suspense fallback={<div className="size-44 rounded-md border border-line" />}>
              <QrImage text={begin.data.uri} label="QR code for the authenticator app" />
            </Suspense>
            <div className="min-w-0 rounded-md border border-line bg-bg px-2 py-1.5">
              <CopyText text={begin.data.secret} label="Copy secret" />
              <br />
              <a href={begin.data.uri} className="text-accent-text underline underline-offset-2">
                Open in an app on this device
              </a>
            </div>
          </div>
          <TextField
            label="2. Enter the code that the app shows"
            {...confirm.field("code")}
            inputMode="numeric"
            autoComplete="one-time-code"
          />
        </SubmitForm>
      )}
      {[begin.error, renew.error, end.error].map((failed, at) => failed && <ProblemBox key={at} error={failed} />)}
      <div className="flex flex-wrap gap-2">
        {totp && !isOn && !begin.data && (
          <Button isBusy={begin.isPending} onClick={() => begin.mutate()}>
            Set up authenticator app
          </Button>
        )}
        {isOn && (
          <>
            <Button isBusy={renew.isPending} onClick={() => renew.mutate()}>
              Create new recovery codes
            </Button>
            <Button kind="danger" isBusy={end.isPending} onClick={() => end.mutate()}>
              Turn off
            </Button>
          </>
        )}
      </div>
    </>
  );
}

function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  return (
    <div>
      <p className="mb-1.5">Save these recovery codes. Each replaces a code once. They are shown only now.</p>
      <ul className="mb-1.5 grid grid-cols-2 gap-x-4 rounded-md border border-line bg-bg px-2 py-1.5 font-mono text-sm">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <CopyText text={codes.join("\n")} label="Copy all codes">
        {""}
      </CopyText>
    </div>
  );
}
