export const triggerWords: Record<string, string> = {
  api: "asked for",
  retry: "a retry",
  schedule: "a schedule",
  manual: "a schedule, by hand",
  webhook: "a webhook of the shop",
  backfill: "a schedule, for a time that was missed",
  operation: "a run",
  system: "the hub itself",
};

export const failedStatuses = "failed,timed_out,expired";
export const unknownCode = "outcome_unknown";

/** What an error code means and what to do about it. */
export const codeHelp: Record<string, string> = {
  timeout: "The other side did not answer in time. A retry is the usual way on.",
  unauthorized: "The other side did not accept the credentials of the bridge. Mend those first.",
  rate_limited: "The other side asked for a pause. It has been taken; a retry is the usual way on.",
  unreachable: "The other side could not be reached. Test the bridge, then retry.",
  invalid_response: "The other side answered something that could not be read. Its message says what.",
};

export const text = {
  allWell: "All well: nothing failed that was not retried.",
  unknown: {
    title: "Outcome unknown",
    why: "The connection or the hub failed after the request was sent and before the response arrived. The other system may have processed it, so the hub does not retry it automatically.",
    steps: [
      "Check in the system behind this bridge whether the change arrived.",
      "If it arrived, nothing is to be done.",
      "If it is missing, send it again here.",
    ],
  },
} as const;
