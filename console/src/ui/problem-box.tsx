import { HubApiError, HubConnectionError } from "@order-operations-hub/sdk/problem";
import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { CopyText } from "./copy-text.tsx";
import { Icon } from "./icons.tsx";

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Error box: title, remedy, code and request ID for support. */
export function ProblemBox({
  error,
  onRetry,
  children,
}: {
  error: unknown;
  onRetry?: () => void;
  children?: ReactNode;
}) {
  const problem = error instanceof HubApiError ? error : undefined;
  const isAway = error instanceof HubConnectionError;
  return (
    <div role="alert" className="rounded-lg border border-bad bg-bad-soft px-3 py-2.5">
      <p className="flex items-start gap-2 font-medium text-bad">
        <span className="pt-0.5">
          <Icon name="alert" />
        </span>
        {messageOf(error)}
      </p>
      {problem && problem.errors.length > 0 && (
        <ul className="ms-5.5 mt-1 list-disc ps-4">
          {problem.errors.slice(0, 8).map((one) => (
            <li key={`${one.pointer} ${one.code} ${one.message}`}>
              <code className="font-mono text-sm">{one.pointer || "/"}</code> {one.message}
              {one.suggestion && ` Did you mean ${one.suggestion}?`}
            </li>
          ))}
        </ul>
      )}
      <div className="ms-5.5 mt-1.5 flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
        {problem && (
          <span>
            {problem.status} <code className="font-mono">{problem.code}</code>
          </span>
        )}
        {problem?.requestId && (
          <CopyText text={problem.requestId} label="Copy the request id">{`request ${problem.requestId}`}</CopyText>
        )}
        {isAway && !onRetry && <span>Not confirmed by the hub. Try again when the hub is back.</span>}
        {onRetry && (problem?.retryable !== false || isAway) && <Button onClick={onRetry}>Try again</Button>}
        {children}
      </div>
    </div>
  );
}
