import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { fieldError } from "../ui/field-errors.ts";
import { FormDialog } from "../ui/form-dialog.tsx";
import { ProblemBox } from "../ui/problem-box.tsx";
import { TextField } from "../ui/text-field.tsx";
import { hub } from "./hub.ts";
import { goToIssuer } from "./issuer-sign-in.ts";
import { totpQuery } from "./me.ts";
import type { ProofPlace } from "./proof.ts";
import { endProof } from "./proof.ts";

const title = "Show who you are";
const close = (): void => endProof(false);

/** Over whatever was to be changed: it goes on by itself, or is told that nobody wanted to say. */
export function ProofDialog({ place }: { place: ProofPlace }) {
  return place === "here" ? <ProofHere /> : <ProofAtIssuer />;
}

/** What was typed and not kept is lost by leaving the page. */
function ProofAtIssuer() {
  const leave = useMutation({ mutationFn: () => goToIssuer(true) });
  return (
    <Dialog
      title={title}
      isOpen
      onClose={close}
      footer={
        <>
          <Button onClick={close}>Not now</Button>
          <Button kind="primary" isBusy={leave.isPending || leave.isSuccess} onClick={() => leave.mutate()}>
            Go there
          </Button>
        </>
      }
    >
      <p>
        This matters enough to ask once more who you are. Your identity provider does, and leads you back to this page;
        what you typed here is lost then.
      </p>
      {leave.error && <ProblemBox error={leave.error} />}
    </Dialog>
  );
}

function ProofHere() {
  const { data: totp, error } = useQuery(totpQuery);
  const [given, setGiven] = useState("");
  const byCode = totp?.isEnabled ?? false;
  const prove = useMutation({
    mutationFn: () =>
      hub.call("POST /api/v1/auth/step-up", { body: byCode ? { totpCode: given } : { password: given } }),
    onSuccess: () => endProof(true),
  });
  const pointer = byCode ? "/totpCode" : "/password";
  return (
    <FormDialog
      title={title}
      submit="Go on"
      reason={!given && "Type it first."}
      action={{ mutate: prove.mutate, isPending: prove.isPending || !totp, error: error ?? prove.error }}
      fields={[pointer]}
      onClose={close}
    >
      <p>This matters enough to ask once more who you are. It counts for 15 minutes.</p>
      <TextField
        label={byCode ? "Code of your authenticator app" : "Your password"}
        type={byCode ? "text" : "password"}
        autoComplete={byCode ? "one-time-code" : "current-password"}
        error={fieldError(prove.error, pointer)}
        value={given}
        onChange={setGiven}
      />
    </FormDialog>
  );
}
