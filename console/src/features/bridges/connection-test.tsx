import type { Bridge } from "@order-operations-hub/sdk/api-types";
import { useMutation } from "@tanstack/react-query";
import { useEffect } from "react";
import { paths } from "../../app/paths.ts";
import { hub, queryClient } from "../../live/hub.ts";
import { useMe } from "../../live/me.ts";
import { Button } from "../../ui/button.tsx";
import { valueText } from "../../ui/change-text.ts";
import { Fold } from "../../ui/fold.tsx";
import { formatMs, sentence } from "../../ui/format.ts";
import { Icon } from "../../ui/icons.tsx";
import { Link } from "../../ui/link.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { showToast } from "../../ui/toast.tsx";
import { useLatest } from "../../ui/use-latest.ts";
import { bridgeCan } from "./bridge.can.ts";
import { hostsIn, isDraft, testAdvice } from "./bridges.text.ts";

/** Tests the connection and shows what was tried, the result and what to do about a failure. */
export function ConnectionTest({ bridge, isAsked }: { bridge: Bridge; isAsked: boolean }) {
  const me = useMe();
  const refused = bridgeCan.test(me);
  const { id } = bridge;
  const test = useMutation({
    mutationFn: async () => {
      const answer = await hub.call("POST /api/v1/bridges/{id}/test", { path: { id } });
      if (!bridgeCan.change(me)) await keepDraft(bridge, answer.ok, isAsked);
      return answer;
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ["bridges"] }),
  });
  const begin = useLatest(() => !refused && test.mutate());
  useEffect(() => {
    if (isAsked) begin.current();
  }, [isAsked, begin]);
  return (
    <div className="flex flex-col gap-2">
      {isDraft(bridge) && !test.isPending && (
        <p className="rounded-lg border border-warn bg-warn-soft px-3 py-2 text-warn">
          This connection is a draft, because its first test failed. It runs no tasks. It is activated when a test
          succeeds.
        </p>
      )}
      <div className="flex flex-wrap items-center gap-2">
        <Button onClick={() => test.mutate()} isBusy={test.isPending} disabledReason={refused}>
          {test.isPending ? "Testing" : test.data ? "Test again" : "Test connection"}
        </Button>
        {test.isPending && <span className="text-muted">Waiting for a response, up to 15 s.</span>}
      </div>
      <div aria-live="polite">
        {test.error && <ProblemBox error={test.error} onRetry={() => test.mutate()} />}
        {test.data && !test.isPending && <Outcome bridge={bridge} answer={test.data} />}
      </div>
    </div>
  );
}

/** A connection whose first test failed becomes a draft; the first test that succeeds activates a draft. */
async function keepDraft(bridge: Bridge, isOk: boolean, isFirst: boolean): Promise<void> {
  const isNew = bridge.isActive && isFirst && bridge.health.lastSuccessAt === null;
  if (isOk ? !isDraft(bridge) : !isNew) return;
  await hub.call("PATCH /api/v1/bridges/{id}", { path: { id: bridge.id }, body: { isActive: isOk } });
  if (isOk) showToast(`${bridge.name} is active`);
}

type Answer = {
  ok: boolean;
  durationMs: number;
  result: object | null;
  error: { code: string; message: string } | null;
};

function Outcome({ bridge, answer: { ok, durationMs, result, error } }: { bridge: Bridge; answer: Answer }) {
  const host = hostsIn(bridge.settings)[0];
  if (!ok && error) {
    const { title, advice, tab } = testAdvice(error.code, host);
    return (
      <div className="rounded-lg border border-bad bg-bad-soft px-3 py-2.5">
        <p className="font-medium text-bad">{title}</p>
        <p className="mt-1">{advice}</p>
        <p className="mt-1.5">
          <Link href={paths.bridge(bridge.id, { tab })} className="text-accent-text underline">
            {tab === "credentials" ? "Change credentials" : "Change settings"}
          </Link>
        </p>
        <div className="mt-1.5">
          <Fold title="Details">
            <p className="text-sm">
              Tried to sign in{host ? ` at ${host}` : ""} and read a small amount of data, for {formatMs(durationMs)}.
            </p>
            <p className="mt-1 font-mono text-sm break-words whitespace-pre-wrap">{error.message}</p>
            <code className="font-mono text-sm text-muted">{error.code}</code>
          </Fold>
        </div>
      </div>
    );
  }
  const facts = Object.entries(result ?? {}).filter(([name]) => name !== "ok");
  return (
    <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
      <span className="flex items-center gap-1.5 font-medium text-ok">
        <Icon name="check" /> Connected in {formatMs(durationMs)}
      </span>
      {facts.map(([name, value]) => (
        <span key={name} className="text-muted">
          {sentence(name)} <span className="text-text">{valueText(value)}</span>
        </span>
      ))}
    </p>
  );
}
