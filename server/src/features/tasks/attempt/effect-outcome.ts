import { RemoteError } from "../../../core/remote-error.ts";
import type { TaskFailure } from "../../bridges/bridge-tasks.ts";
import type { EffectRow } from "./effects.store.ts";

type PushStatus = "sent" | "updated" | "already_sent" | "in_progress" | "failed" | "outcome_unknown" | "skipped";

export type EffectResult = {
  status: PushStatus;
  externalId?: string | undefined;
  /** When it was sent, if the order was changed later and the change is not sent. */
  changedSince?: string;
  /** Why it was skipped. */
  reason?: "recalled";
  error?: { code: string; message: string };
};

export type EffectOutcome = EffectResult & { retry?: RemoteError };

export function alreadySent({ sent }: EffectRow, changedSince?: Date): EffectOutcome {
  const since = changedSince ? { changedSince: changedSince.toISOString() } : {};
  return { status: "already_sent", externalId: sent?.externalId, ...since };
}

export function retryOf({ code, message, retryAfterMs }: Omit<TaskFailure, "retryable">): RemoteError {
  return new RemoteError(code, message, { retryable: true, retryAfterMs });
}

export function publicError({ code, message }: TaskFailure): { code: string; message: string } {
  return { code, message };
}

export const notMapped = {
  code: "transformation_failed",
  message: "The outbound transformation could not map the order.",
};

export const inProgress = { code: "in_progress", message: "Another execution is sending it." };

export function unknownOutcome(reason: string): { code: string; message: string } {
  const message =
    `It may have arrived. ${reason} The other system cannot be asked. Check there; if it is missing, ` +
    "execute the task with `forceResend`: a retry does not send it again.";
  return { code: "outcome_unknown", message };
}
