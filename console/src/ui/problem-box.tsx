import { HubApiError, HubConnectionError } from "@order-operations-hub/sdk/problem";
import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { CopyText } from "./copy-text.tsx";
import { Fold } from "./fold.tsx";
import { fieldName, sentence } from "./format.ts";
import { Icon } from "./icons.tsx";

/** Errors whose text of the API speaks to developers. */
const ownTexts: Record<string, string> = {
  insufficient_scope: "You do not have permission for this. An administrator of your organization can grant it.",
  admin_required: "Only an administrator of your organization can do this.",
};

function messageOf(error: unknown): string {
  if (error instanceof HubApiError && ownTexts[error.code]) return ownTexts[error.code]!;
  return error instanceof Error ? error.message : String(error);
}

const maxShown = 8;

type Line = { field: string; text: string };

/** Errors of fields that say more than the message. */
function linesOf({ errors }: HubApiError, message: string): Line[] {
  return errors
    .map(({ pointer, message: text, suggestion }) => ({
      field: pointer ? sentence(fieldName(pointer)) : "",
      text: suggestion ? `${text} Did you mean ${suggestion}?` : text,
    }))
    .filter(({ text }) => !message.includes(text));
}

type Props = { error: unknown; onRetry?: () => void; children?: ReactNode };

/** Error box: what happened and what to do. Code, status and request ID are for support, behind "Details". */
export function ProblemBox({ error, onRetry, children }: Props) {
  const problem = error instanceof HubApiError ? error : undefined;
  const isAway = error instanceof HubConnectionError;
  const message = messageOf(error);
  const lines = problem ? linesOf(problem, message) : [];
  const canRetry = onRetry && (problem?.retryable !== false || isAway);
  return (
    <div role="alert" className="flex flex-col gap-1.5 rounded-lg border border-bad bg-bad-soft px-3 py-2.5">
      <p className="flex items-start gap-2 font-medium text-bad">
        <span className="pt-0.5">
          <Icon name="alert" />
        </span>
        <span className="min-w-0 break-words">{message}</span>
      </p>
      {lines.length > 0 && (
        <ul className="ms-5.5 list-disc ps-4">
          {lines.slice(0, maxShown).map(({ field, text }) => (
            <li key={field + text}>
              {field && <span className="font-medium">{field}: </span>}
              {text}
            </li>
          ))}
          {lines.length > maxShown && <li>and {lines.length - maxShown} more</li>}
        </ul>
      )}
      {isAway && !onRetry && <p className="ms-5.5">The change may not be saved. Try again when the hub is back.</p>}
      {(canRetry || children) && (
        <div className="ms-5.5 flex flex-wrap items-center gap-x-3 gap-y-1">
          {canRetry && <Button onClick={onRetry}>Try again</Button>}
          {children}
        </div>
      )}
      {problem && (
        <div className="ms-5.5 text-sm text-muted">
          <Fold title="Details">
            <p>
              <code className="font-mono">{problem.code}</code>, status {problem.status}
            </p>
            {message !== problem.message && <p>{problem.message}</p>}
            {problem.errors.slice(0, maxShown).map(({ pointer, code }) => (
              <p key={pointer + code} className="font-mono">
                {pointer || "/"} {code}
              </p>
            ))}
            {problem.requestId && (
              <CopyText text={problem.requestId} label="Copy the request ID">{`Request ${problem.requestId}`}</CopyText>
            )}
          </Fold>
        </div>
      )}
    </div>
  );
}
