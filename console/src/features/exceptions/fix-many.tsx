import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { hub, queryClient } from "../../live/hub.ts";
import { Button } from "../../ui/button.tsx";
import { Skeleton } from "../../ui/card.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { plural } from "../../ui/format.ts";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { showToast } from "../../ui/toast.tsx";
import type { ExceptionFilter, ExceptionGroup, FixManyRequest } from "./exceptions.queries.ts";
import { fixName, fixTexts } from "./exceptions.text.ts";

type Props = {
  group: ExceptionGroup;
  action: FixManyRequest["action"];
  /** Limits the action to the exceptions that the list shows. */
  filter: ExceptionFilter;
  onClose(): void;
};
type Failure = { id: string; error?: { code: string; message: string } | undefined };

/** Confirms the count, then applies the action batch by batch. Exceptions that stay open show why. */
export function FixMany({ group, action, filter, onClose }: Props) {
  const { status: _status, ...narrowed } = filter;
  const { kind, code, bridgeId } = group;
  const body: FixManyRequest = {
    action,
    filter: { ...narrowed, kind, code, ...(bridgeId ? { bridgeId } : {}) },
  };
  const look = useQuery({
    queryKey: ["exceptions", "fix", body],
    queryFn: ({ signal }) => hub.call("POST /api/v1/exceptions/resolve", { body: { ...body, dryRun: true }, signal }),
    gcTime: 0,
    retry: false,
  });
  const [failures, setFailures] = useState<readonly Failure[]>();
  const fix = useMutation({
    mutationFn: async () => {
      const sum = { done: 0, failed: [] as Failure[] };
      for (let next = body; ; next = { ...body, filter: { ...body.filter, isAttempted: false } }) {
        const { summary, results } = await hub.call("POST /api/v1/exceptions/resolve", { body: next });
        sum.done += summary.processed;
        sum.failed.push(...results.filter((one) => one.status === "failed"));
        if (summary.remaining === 0 || results.length === 0) return sum;
      }
    },
    onSuccess: async ({ done, failed }) => {
      await queryClient.invalidateQueries({ queryKey: ["exceptions"] });
      if (done > 0) showToast(`${fixName(action)}: ${plural(done, "exception")}`);
      if (failed.length === 0) onClose();
      else setFailures(failed);
    },
  });
  const matched = look.data?.summary.matched ?? 0;
  return (
    <Dialog
      title={`${fixName(action)}: ${code}`}
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{failures ? "Close" : "Not now"}</Button>
          {!failures && (
            <Button
              kind={action === "dismiss" ? "danger" : "primary"}
              isBusy={fix.isPending || look.isPending}
              disabledReason={look.data && matched === 0 && "They are all closed by now."}
              onClick={() => fix.mutate()}
            >
              {`${fixName(action)} ${plural(matched, "exception")}`}
            </Button>
          )}
        </>
      }
    >
      {look.isPending && <Skeleton rows={2} />}
      {(look.error ?? fix.error) && <ProblemBox error={look.error ?? fix.error} />}
      {look.data && !failures && <p>{fixTexts[action]}</p>}
      {failures && (
        <>
          <p className="mb-2">{plural(failures.length, "exception stays", "exceptions stay")} open:</p>
          <ul className="list-disc ps-4">
            {[...Map.groupBy(failures, ({ error }) => error?.message ?? "")].map(([message, alike]) => (
              <li key={message}>
                {plural(alike.length, "time")}: <code className="font-mono text-sm">{alike[0]!.error?.code}</code>{" "}
                {message}
              </li>
            ))}
          </ul>
        </>
      )}
    </Dialog>
  );
}
