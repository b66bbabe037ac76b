import type { TransformationTest } from "@order-operations-hub/sdk/api-types";
import { Badge } from "../../ui/badge.tsx";
import { Empty, Heading } from "../../ui/card.tsx";
import { cx } from "../../ui/class-names.ts";
import { plural } from "../../ui/format.ts";
import { JsonView } from "../../ui/json-view.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import type { TargetReport } from "./target-check.ts";

/** Live output of the sample. */
export function OutputPanel({
  test,
  targets,
  error,
  isStale,
  hasSample,
}: {
  test: TransformationTest | undefined;
  /** Check of the targets. */
  targets: TargetReport | undefined;
  error: unknown;
  isStale: boolean;
  hasSample: boolean;
}) {
  // Errors that belong to no row.
  const others = test?.errors.filter(({ index }) => index < 0) ?? [];
  const isRight = test?.ok === true && (targets?.errors.length ?? 0) === 0;
  return (
    <section aria-label="Result" className="min-w-0">
      <Heading title="Output" note={test && outcome(test)}>
        {test && <Badge tone={isRight ? "ok" : "bad"}>{isRight ? "Complete" : "Incomplete"}</Badge>}
      </Heading>
      {error !== null && <ProblemBox error={error} />}
      {others.map(({ code, message }) => (
        <p key={code} className="mb-1 text-bad">
          {message}
        </p>
      ))}
      {targets?.errors.map((message) => (
        <p key={message} className="mb-1 text-bad">
          {message}
        </p>
      ))}
      {targets?.notes.map((message) => (
        <p key={message} className="mb-1 text-warn">
          {message}
        </p>
      ))}
      {test ? (
        <div className={cx(isStale && "stale")}>
          <JsonView key={JSON.stringify(Object.keys(test.output))} label="Output" value={test.output} />
        </div>
      ) : (
        <div className="rounded-lg border border-dashed border-line-strong">
          <Empty
            text={hasSample ? "Testing the rows." : "The result for the sample appears here while you edit the rows."}
          />
        </div>
      )}
    </section>
  );
}

function outcome({ errors, warnings, unusedSource }: TransformationTest): string {
  return [
    errors.length > 0 && plural(errors.length, "error"),
    warnings.length > 0 && plural(warnings.length, "warning"),
    unusedSource.length > 0 && plural(unusedSource.length, "unused field"),
  ]
    .filter(Boolean)
    .join(", ");
}
