import { HubApiError } from "@order-operations-hub/sdk/problem";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { fieldError } from "../ui/field-error.ts";
import { ProblemBox } from "../ui/problem-box.tsx";
import { TextField } from "../ui/text-field.tsx";
import { hub } from "./hub.ts";

/** What was refused, in its place. Where a fresh proof is wanted it is asked for here, and then it is tried again. */
export function Refusal({ error, onRepeat }: { error: Error | null; onRepeat(): void }) {
  if (!error) return null;
  if (error instanceof HubApiError && error.code === "step_up_required") return <StepUp onProved={onRepeat} />;
  return <ProblemBox error={error} />;
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
    // No form: it stands within those that were refused.
    <div
      role="group"
      aria-label="Show who you are"
      className="flex flex-col gap-2 rounded-lg border border-line-strong bg-bg px-3 py-2.5"
    >
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
    </div>
  );
}
