export const failedStatuses = "failed,timed_out,expired";
export const unknownCode = "outcome_unknown";

/** What an error code means and what to do about it. */
export const codeHelp: Record<string, string> = {
  timeout: "The other system did not respond in time. Retry the execution.",
  unauthorized: "The other system rejected the credentials. Replace the credentials of the connection, then retry.",
  rate_limited: "The other system limits the number of requests. Retry the execution later.",
  unreachable: "The other system could not be reached. Test the connection, then retry.",
  invalid_response: "The response of the other system could not be read. See the message.",
};

export const text = {
  allWell: "No failed executions need attention.",
  unknown: {
    title: "Outcome unknown",
    why: "The connection or the hub failed after the request was sent and before the response arrived. The other system may have processed it, so the hub does not retry it automatically.",
    steps: [
      "Check in the connected system whether the change arrived.",
      "If the change arrived, nothing else is needed.",
      "If the change is missing, send it again here.",
    ],
  },
} as const;
