import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { paths } from "../../app/paths.ts";
import { hub, queryClient } from "../../live/hub.ts";
import { Badge } from "../../ui/badge.tsx";
import { Heading, Skeleton } from "../../ui/card.tsx";
import { CopyText } from "../../ui/copy-text.tsx";
import { SidePanel } from "../../ui/dialog.tsx";
import type { NamedFact } from "../../ui/facts.tsx";
import { FactList } from "../../ui/facts.tsx";
import { fieldName, formatCount, sentence } from "../../ui/format.ts";
import { Link } from "../../ui/link.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { showToast } from "../../ui/toast.tsx";
import { Time } from "../../ui/zone.tsx";
import { taskTitle } from "../tasks/task-title.pick.ts";
import { ExceptionDiscussion } from "../comments/exception-discussion.pick.tsx";
import { EditRecord } from "./exception-edit.form.tsx";
import { FixButtons } from "./exception-fixes.tsx";
import { ExceptionRecord, problemsIn } from "./exception-record.tsx";
import { lookupMisses, useMappingOf } from "./lookup-miss.ts";
import { MappingFix } from "./mapping-fix.form.tsx";
import type { Exception, FixAnswer, FixRequest } from "./exceptions.queries.ts";
import { exceptionQuery } from "./exceptions.queries.ts";
import { fixName, kindName, reasonText, resolutionText, statusTones } from "./exceptions.text.ts";

type Props = { id: string; bridgeName(id: string): string; onClose(): void };

/** One exception: cause, affected record and available actions. */
export function ExceptionPanel({ id, bridgeName, onClose }: Props) {
  const { data: exception, error } = useQuery(exceptionQuery(id));
  return (
    <SidePanel
      isOpen
      onClose={onClose}
      title={
        <span className="flex min-w-0 items-center gap-2">
          <span className="truncate font-mono">{exception?.subject.name ?? "Exception"}</span>
          {exception && <Badge tone={statusTones[exception.status] ?? "skip"}>{sentence(exception.status)}</Badge>}
        </span>
      }
    >
      {error && !exception && <ProblemBox error={error} />}
      {!exception && !error && <Skeleton rows={10} />}
      {exception && <Details exception={exception} bridgeName={bridgeName} />}
    </SidePanel>
  );
}

function Details({ exception, bridgeName }: { exception: Exception; bridgeName(id: string): string }) {
  const { id } = exception;
  const [isEditing, setEditing] = useState(false);
  const fix = useMutation({
    mutationFn: (body: FixRequest) => hub.call("POST /api/v1/exceptions/{id}/resolve", { path: { id }, body }),
    onSuccess: async (answer) => {
      queryClient.setQueryData(exceptionQuery(id).queryKey, answer.exception);
      await queryClient.invalidateQueries({ queryKey: ["exceptions"] });
      if (answer.status === "failed") return;
      setEditing(false);
      showToast(
        outcomeText(answer),
        answer.status === "in_progress" ? { text: "The exception is resolved when the retry succeeds." } : {},
      );
    },
  });
  const mapping = useMappingOf(exception);
  const misses = lookupMisses(exception, mapping);
  const canEdit = exception.availableActions.some(({ action }) => action === "edit_and_retry");
  return (
    <div className="flex flex-col gap-4">
      <section
        aria-label="Cause"
        className={
          exception.status === "open"
            ? "rounded-lg border border-bad bg-bad-soft px-3 py-2"
            : "rounded-lg border border-line px-3 py-2"
        }
      >
        <p className="font-medium">{exception.message}</p>
        {exception.reason && <p className="mt-0.5 break-words">{reasonText(exception.reason)}</p>}
        <p className="mt-0.5 text-sm text-muted">{kindName(exception.kind)}</p>
      </section>
      {fix.error && <ProblemBox error={fix.error} />}
      {fix.data?.status === "failed" && <StillOpen answer={fix.data} />}
      {mapping && exception.code === "transformation_failed" && exception.status === "open" && !isEditing && (
        <MappingFix exception={exception} mapping={mapping} misses={misses} />
      )}
      {exception.status === "open" && !isEditing && (
        <FixButtons
          exception={exception}
          isBusy={fix.isPending}
          isSecondary={misses.length > 0}
          onFix={(body) => fix.mutate(body)}
          onEdit={() => setEditing(true)}
        />
      )}
      {isEditing && canEdit ? (
        <EditRecord
          exception={exception}
          mapping={mapping}
          misses={misses}
          isBusy={fix.isPending}
          onSave={(record) => fix.mutate({ action: "edit_and_retry", record })}
          onCancel={() => setEditing(false)}
        />
      ) : (
        <ExceptionRecord exception={exception} />
      )}
      <section>
        <Heading title="Details" />
        <FactList facts={factsOf(exception, bridgeName)} />
      </section>
      <ExceptionDiscussion id={id} assigneeId={exception.assigneeId} />
    </div>
  );
}

/** The action ran and the exception is still open. */
function StillOpen({ answer: { error } }: { answer: FixAnswer }) {
  if (!error) return null;
  const problems = problemsIn(error.errors);
  return (
    <div role="alert" className="rounded-lg border border-bad bg-bad-soft px-3 py-2 text-bad">
      <p className="font-medium">The action failed: {error.message}</p>
      {problems.length > 0 && (
        <ul className="mt-1 list-disc ps-4">
          {problems.slice(0, 8).map(({ pointer, message }) => (
            <li key={`${pointer} ${message}`}>
              {pointer !== "" && <b>{sentence(fieldName(pointer))}: </b>}
              {message}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function outcomeText({ status }: FixAnswer): string {
  if (status === "in_progress") return "Retry started";
  return status === "dismissed" ? "Dismissed" : "Resolved";
}

const linkClass = "text-accent-text underline underline-offset-2";

function factsOf(exception: Exception, bridgeName: (id: string) => string): Array<NamedFact | false> {
  const { orderId, bridgeId, executionId, lastAction, resolvedBy } = exception;
  const by = resolvedBy && (resolvedBy.name ?? resolvedBy.email);
  return [
    exception.status !== "open" && [
      "Resolution",
      <span key="ended">
        {resolutionText(exception)}
        {by && exception.resolution !== "auto_resolved" && `, by ${by}`} <Time at={exception.resolvedAt} />
      </span>,
    ],
    orderId !== null && [
      "Order",
      <Link key="order" href={paths.order(orderId)} className={linkClass}>
        {exception.subject.type === "order" ? (exception.subject.name ?? "Open the order") : "Open the order"}
      </Link>,
    ],
    exception.subject.type === "invoice" &&
      exception.subject.id !== null && [
        "Invoice",
        <Link key="invoice" href={paths.invoice(exception.subject.id)} className={linkClass}>
          {exception.subject.name ?? "Open the invoice"}
        </Link>,
      ],
    bridgeId !== null && [
      "Connection",
      <Link key="bridge" href={paths.bridge(bridgeId)} className={linkClass}>
        {bridgeName(bridgeId)}
      </Link>,
    ],
    executionId !== null && [
      "Task",
      <Link key="task" href={paths.task(executionId)} className={linkClass}>
        {exception.taskName ? taskTitle(exception.taskName) : "Execution"}
      </Link>,
    ],
    [
      "Times seen",
      <span key="seen">
        {formatCount(exception.timesSeen)}, first <Time at={exception.firstSeenAt} />, last{" "}
        <Time at={exception.lastSeenAt} />
      </span>,
    ],
    ["Code", <CopyText key="code" text={exception.code} label="Copy the error code" />],
    lastAction !== null && [
      "Last action",
      <span key="tried">
        {fixName(lastAction.action)} <Time at={lastAction.at} /> by{" "}
        {lastAction.by.name ?? lastAction.by.email ?? "the hub"}
        {lastAction.executionId && (
          <>
            {", "}
            <Link href={paths.task(lastAction.executionId)} className={linkClass}>
              View the retry
            </Link>
          </>
        )}
      </span>,
    ],
  ];
}
