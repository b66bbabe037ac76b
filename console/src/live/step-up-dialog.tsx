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

const title = "Confirm your identity";
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
        Confirm your identity at your identity provider to make this change. It leads you back to this page; unsaved
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
  return (
    <FormDialog
      title={title}
      submit="Go on"
      reason={!form.draft.given && "Type it first."}
      form={{ ...form, isBusy: form.isBusy || !totp, error: error ?? form.error, isChanged: false }}
      onClose={close}
    >
      <p>Confirm your identity to make this change. This is valid for 15 minutes.</p>
      <TextField
        label={byCode ? "Code of your authenticator app" : "Your password"}
        type={byCode ? "text" : "password"}
        autoComplete={byCode ? "one-time-code" : "current-password"}
        {...form.field("given", byCode ? "/totpCode" : "/password")}
      />
    </FormDialog>
  );
}
