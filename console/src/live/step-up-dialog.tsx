import { useMutation, useQuery } from "@tanstack/react-query";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { ProblemBox } from "../ui/problem-box.tsx";
import { TextField } from "../ui/text-field.tsx";
import { hub } from "./hub.ts";
import { goToIssuer } from "./issuer-sign-in.ts";
import { totpQuery } from "./me.ts";
import type { StepUpMethod } from "./step-up.ts";
import { finishStepUp } from "./step-up.ts";
import { useCreateForm } from "./use-create-form.ts";

const close = (): void => finishStepUp(false);

/** Shown over the page while a request waits for it; the request is then repeated, or fails when this is closed. */
export function StepUpDialog({ method }: { method: StepUpMethod }) {
  return method === "here" ? <StepUpHere /> : <StepUpAtIssuer />;
}

/** Leaves the page, so unsaved input is lost. */
function StepUpAtIssuer() {
  const leave = useMutation({ mutationFn: () => goToIssuer(true) });
  return (
    <Dialog
      title="Confirm your identity"
      isOpen
      onClose={close}
      footer={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button kind="primary" isBusy={leave.isPending || leave.isSuccess} onClick={() => leave.mutate()}>
            Continue to your identity provider
          </Button>
        </>
      }
    >
      <p>
        Confirm your identity at your identity provider to make this change. You return to this page afterwards; unsaved
        input on this page is lost.
      </p>
      {leave.error && <ProblemBox error={leave.error} />}
    </Dialog>
  );
}

function StepUpHere() {
  const { data: totp, error } = useQuery(totpQuery);
  const byCode = totp?.isEnabled ?? false;
  const form = useCreateForm({
    start: { given: "" },
    create: ({ given }) =>
      hub.call("POST /api/v1/auth/step-up", { body: byCode ? { totpCode: given } : { password: given } }),
    onCreated: () => finishStepUp(true),
  });
  // Not shown before it knows what to ask for: what is typed and sent earlier would be lost.
  if (!totp && !error) return null;
  return (
    <FormDialog
      title={byCode ? "Enter your code" : "Confirm your password"}
      submit="Continue"
      reason={!form.draft.given && (byCode ? "Enter the code." : "Enter your password.")}
      form={{ ...form, error: error ?? form.error, isChanged: false }}
      onClose={close}
    >
      <p>
        This change needs {byCode ? "a code from your authenticator app" : "your password"}. You are not asked again for
        15 minutes.
      </p>
      <TextField
        label={byCode ? "Code from your authenticator app" : "Current password"}
        type={byCode ? "text" : "password"}
        autoComplete={byCode ? "one-time-code" : "current-password"}
        {...form.field("given", byCode ? "/totpCode" : "/password")}
      />
    </FormDialog>
  );
}
