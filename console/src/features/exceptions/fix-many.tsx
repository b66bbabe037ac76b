import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { hub, queryClient } from "../../live/hub.ts";
import { Button } from "../../ui/button.tsx";
import { Skeleton } from "../../ui/card.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { plural } from "../../ui/format.ts";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { showToast } from "../../ui/toast.tsx";
import type { ExceptionFilter, ExceptionGroup, FixFailure, FixManyRequest } from "./exceptions.queries.ts";
import { resolveAll } from "./exceptions.queries.ts";
import { causeOf, fixName, fixTexts, groupTitle } from "./exceptions.text.ts";

type Props = {
  group: ExceptionGroup;
  action: FixManyRequest["action"];
  /** Limits the action to the exceptions that the list shows. */
  filter: ExceptionFilter;
  onClose(): void;
};

/** Confirms the count, then applies the action batch by batch. Exceptions that stay open show why. */
export function FixMany({ group, action, filter, onClose }: Props) {
  const { status: _status, ...narrowed } = filter;
  const body: FixManyRequest = { action, filter: { ...narrowed, ...causeOf(group) } };
  const look = useQuery({
    queryKey: ["exceptions", "fix", body],
    queryFn: ({ signal }) => hub.call("POST /api/v1/exceptions/resolve", { body: { ...body, dryRun: true }, signal }),
    gcTime: 0,
    retry: false,
  });
  const [failures, setFailures] = useState<readonly FixFailure[]>();
  const fix = useMutation({
    mutationFn: () => resolveAll(body),
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
      title={`${fixName(action)}: ${groupTitle(group)}`}
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{failures ? "Close" : "Cancel"}</Button>
          {!failures && (
            <Button
              kind={action === "dismiss" ? "danger" : "primary"}
              isBusy={fix.isPending || look.isPending}
              disabledReason={look.data && matched === 0 && "All of them are closed already."}
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
                {plural(alike.length, "exception")}: {message}
              </li>
            ))}
          </ul>
        </>
      )}
    </Dialog>
  );
}
