import type { Execution } from "@order-operations-hub/sdk/api-types";
import { paths } from "../../app/paths.ts";
import { fieldName, sentence } from "../../ui/format.ts";
import { Icon } from "../../ui/icons.tsx";
import { Link } from "../../ui/link.tsx";
import { Time } from "../../ui/zone.tsx";
import { hasEnded } from "./tasks.queries.ts";
import { codeHelp, text, unknownCode } from "./tasks.text.ts";

/** Failure and remedies. An unknown outcome is explained before the retry is offered. */
export function TaskFailure({ execution }: { execution: Execution }) {
  const { error, status } = execution;
  if (status === "completed_with_errors") return <InPart execution={execution} />;
  if (!error || status === "succeeded") return null;
  const isUnknown = error.code === unknownCode;
  const last = execution.retriedBy.at(-1);
  return (
    <section
      aria-label="Error"
      className={`rounded-lg border px-3 py-2.5 ${isUnknown ? "border-warn bg-warn-soft" : "border-bad bg-bad-soft"}`}
    >
      <p className={`flex items-start gap-2 font-medium ${isUnknown ? "text-warn" : "text-bad"}`}>
        <span className="pt-0.5">
          <Icon name="alert" />
        </span>
        {isUnknown ? text.unknown.title : error.message}
      </p>
      <div className="ms-5.5 mt-1 flex flex-col gap-1">
        {isUnknown && (
          <>
            <p>{text.unknown.why}</p>
            <ol className="list-decimal ps-4">
              {text.unknown.steps.map((step) => (
                <li key={step}>{step}</li>
              ))}
            </ol>
          </>
        )}
        {error.errors && error.errors.length > 0 && (
          <ul className="list-disc ps-4">
            {error.errors.slice(0, 8).map((one, at) => (
              <li key={at}>
                {typeof one["pointer"] === "string" && one["pointer"] !== "" && (
                  <b>{sentence(fieldName(one["pointer"]))}: </b>
                )}
                {typeof one["message"] === "string" ? one["message"] : "Invalid value"}
              </li>
            ))}
          </ul>
        )}
        {codeHelp[error.code] && <p>{codeHelp[error.code]}</p>}
        <p className="flex flex-wrap gap-x-3 text-sm text-muted">
          <span>Error code {error.code}</span>
          {isUnknown && <span>{error.message}</span>}
          {!hasEnded(execution) && execution.nextAttemptAt && (
            <span>
              Retried automatically <Time at={execution.nextAttemptAt} withSeconds />.
            </span>
          )}
          {last && (
            <Link href={paths.task(last)} className="text-accent-text underline underline-offset-2">
              View the retry
            </Link>
          )}
        </p>
      </div>
    </section>
  );
}

/** The execution finished, but some of its records failed. */
function InPart({ execution: { retriedBy } }: { execution: Execution }) {
  const last = retriedBy.at(-1);
  return (
    <section aria-label="Failed part" className="rounded-lg border border-warn bg-warn-soft px-3 py-2.5">
      <p className="font-medium text-warn">The execution finished, but a part of it failed.</p>
      <p>
        The failed part is listed below. A retry repeats only that part.{" "}
        {last && (
          <Link href={paths.task(last)} className="text-accent-text underline underline-offset-2">
            View the retry
          </Link>
        )}
      </p>
    </section>
  );
}

/** One-line form for lists. */
export function ShortFailure({ failure }: { failure: Execution["error"] }) {
  if (!failure) return "–";
  const { code, message } = failure;
  return <span title={`${message} (${code})`}>{message}</span>;
}
