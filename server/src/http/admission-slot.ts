import type { ServerResponse } from "node:http";
import { HubError } from "../core/errors.ts";
import type { Admission } from "./admission.ts";

/** A request's place among those in flight. */
export type AdmissionSlot = { work<T>(task: () => Promise<T>): Promise<T> };

/**
 * The slot is free when the answer is out or its reader is gone, and nobody works on it any more. Not only when it was
 * answered: each caller that hangs up would take a slot away for good. Not before the work has ended: who hangs up
 * again and again could start any amount of it.
 */
export function holdAdmissionSlot(
  admission: Pick<Admission, "leave">,
  response: Pick<ServerResponse, "once">,
): AdmissionSlot {
  let isClosed = false;
  let isAtWork = false;
  const leaveWhenOver = (): void => {
    if (isClosed && !isAtWork) admission.leave();
  };
  response.once("close", () => {
    isClosed = true;
    leaveWhenOver();
  });
  return {
    async work(task) {
      // The slot was given back, so nothing may begin; there is nobody to read this either.
      if (isClosed) throw new HubError("request_timeout", "The caller has hung up.");
      isAtWork = true;
      try {
        return await task();
      } finally {
        isAtWork = false;
        leaveWhenOver();
      }
    },
  };
}
