import { HubApiError } from "@order-operations-hub/sdk/problem";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { fieldError } from "../ui/field-error.ts";
import { ProblemBox } from "../ui/problem-box.tsx";
import { TextField } from "../ui/text-field.tsx";
import { hub } from "./hub.ts";
import { goToIssuer } from "./issuer-sign-in.ts";

/** What was refused, in its place. Where a fresh proof is wanted it is asked for here, and then it is tried again. */
export function Refusal({ error, onRepeat }: { error: Error | null; onRepeat(): void }) {
  if (!error) return null;
  if (error instanceof HubApiError && error.code === "step_up_required") {
    const { how } = error.problem as { how?: string };
    return how?.startsWith("POST") ? <StepUp onProved={onRepeat} /> : <ProofAtIssuer />;
  }
  return <ProblemBox error={error} />;
}

/** Whoever signed in there shows there who they are. What was typed here and not kept is lost by that. */
function ProofAtIssuer() {
  const leave = useMutation({ mutationFn: () => goToIssuer(true) });
  return (
    <Asked>
      <p>
        This matters enough to ask once more who you are. Your identity provider does, and leads you back to this page.
      </p>
      {leave.error && <ProblemBox error={leave.error} />}
      <div>
        <Button kind="primary" isBusy={leave.isPending || leave.isSuccess} onClick={() => leave.mutate()}>
          Go there
        </Button>
      </div>
    </Asked>
  );
}

/** No form: it stands within those that were refused. */
function Asked({ children }: { children: ReactNode }) {
  return (
    <div
      role="group"
      aria-label="Show who you are"
      className="flex flex-col gap-2 rounded-lg border border-line-strong bg-bg px-3 py-2.5"
    >
      {children}
    </div>
  );
}

function StepUp({ onProved }: { onProved(): void }) {
  const { data: totp } = useQuery({
    queryKey: ["me", "totp"],
    queryFn: ({ signal }) => hub.call("GET /api/v1/me/totp", { signal }),
  });
  const [given, setGiven] = useState("");
  const prove = useMutation({
    mutationFn: () =>
      hub.call("POST /api/v1/auth/step-up", { body: totp?.isEnabled ? { totpCode: given } : { password: given } }),
    onSuccess: onProved,
  });
  const submit = (): void => {
    if (given && totp) prove.mutate();
  };
  return (
    <Asked>
      <p>This matters enough to ask once more who you are. It counts for 15 minutes.</p>
      <TextField
        label={totp?.isEnabled ? "Code of your authenticator app" : "Your password"}
        type={totp?.isEnabled ? "text" : "password"}
        autoComplete={totp?.isEnabled ? "one-time-code" : "current-password"}
        error={fieldError(prove.error, totp?.isEnabled ? "/totpCode" : "/password")}
        value={given}
        onChange={setGiven}
        // oxlint-disable-next-line jsx-a11y/no-autofocus
        autoFocus
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          event.preventDefault();
          submit();
        }}
      />
      {prove.error && !(prove.error instanceof HubApiError && prove.error.status === 400) && (
        <ProblemBox error={prove.error} />
      )}
      <div>
        <Button
          kind="primary"
          isBusy={prove.isPending || !totp}
          disabledReason={!given && "Type it first."}
          onClick={submit}
        >
          Go on
        </Button>
      </div>
    </Asked>
  );
}
