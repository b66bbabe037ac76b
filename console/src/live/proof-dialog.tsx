import { HubApiError } from "@order-operations-hub/sdk/problem";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { fieldError } from "../ui/field-errors.ts";
import { ProblemBox } from "../ui/problem-box.tsx";
import { TextField } from "../ui/text-field.tsx";
import { hub } from "./hub.ts";
import { totpQuery } from "./me.ts";
import { endProof } from "./proof.ts";

/** Over whatever was to be changed: it goes on by itself, or is told that nobody wanted to say. */
export function ProofDialog() {
  const { data: totp, error } = useQuery(totpQuery);
  const [given, setGiven] = useState("");
  const byCode = totp?.isEnabled ?? false;
  const prove = useMutation({
    mutationFn: () =>
      hub.call("POST /api/v1/auth/step-up", { body: byCode ? { totpCode: given } : { password: given } }),
    onSuccess: () => endProof(true),
  });
  const submit = (): void => {
    if (given && totp) prove.mutate();
  };
  const isOnField = prove.error instanceof HubApiError && prove.error.status === 400;
  return (
    <Dialog
      title="Show who you are"
      isOpen
      onClose={() => endProof(false)}
      footer={
        <>
          <Button onClick={() => endProof(false)}>Not now</Button>
          <Button
            kind="primary"
            isBusy={prove.isPending || !totp}
            disabledReason={!given && "Type it first."}
            onClick={submit}
          >
            Go on
          </Button>
        </>
      }
    >
      <form
        className="flex flex-col gap-2.5"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <p>This matters enough to ask once more who you are. It counts for 15 minutes.</p>
        <TextField
          label={byCode ? "Code of your authenticator app" : "Your password"}
          type={byCode ? "text" : "password"}
          autoComplete={byCode ? "one-time-code" : "current-password"}
          error={fieldError(prove.error, byCode ? "/totpCode" : "/password")}
          value={given}
          onChange={setGiven}
          // oxlint-disable-next-line jsx-a11y/no-autofocus
          autoFocus
        />
        {(error ?? (prove.error && !isOnField)) && <ProblemBox error={error ?? prove.error} />}
      </form>
    </Dialog>
  );
}
