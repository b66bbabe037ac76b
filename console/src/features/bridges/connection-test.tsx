import type { Bridge } from "@order-operations-hub/sdk/api-types";
import { useMutation } from "@tanstack/react-query";
import { useEffect } from "react";
import { paths } from "../../app/paths.ts";
import { hub, queryClient } from "../../live/hub.ts";
import { useMe } from "../../live/me.ts";
import { Button } from "../../ui/button.tsx";
import { valueText } from "../../ui/change-text.ts";
import { formatMs, sentence } from "../../ui/format.ts";
import { Icon } from "../../ui/icons.tsx";
import { Link } from "../../ui/link.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { useLatest } from "../../ui/use-latest.ts";
import { bridgeCan } from "./bridge.can.ts";

/** Tests the connection now and shows the response as it is. */
export function ConnectionTest({ bridge, isAsked }: { bridge: Bridge; isAsked: boolean }) {
  const refused = bridgeCan.test(useMe());
  const test = useMutation({
    mutationFn: () => hub.call("POST /api/v1/bridges/{id}/test", { path: { id: bridge.id } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ["bridges"] }),
  });
  const begin = useLatest(() => !refused && test.mutate());
  useEffect(() => {
    if (isAsked) begin.current();
  }, [isAsked, begin]);
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <Button onClick={() => test.mutate()} isBusy={test.isPending} disabledReason={refused}>
          {test.isPending ? "Testing" : test.data ? "Test again" : "Test the connection"}
        </Button>
        {test.isPending && <span className="text-muted">Asking the other side, up to 15 s.</span>}
      </div>
      <div aria-live="polite">
        {test.error && <ProblemBox error={test.error} onRetry={() => test.mutate()} />}
        {test.data && !test.isPending && <Outcome bridge={bridge} answer={test.data} />}
      </div>
    </div>
  );
}

type Answer = {
  ok: boolean;
  durationMs: number;
  result: object | null;
  error: { code: string; message: string } | null;
};

function Outcome({ bridge, answer: { ok, durationMs, result, error } }: { bridge: Bridge; answer: Answer }) {
  if (!ok) {
    return (
      <div className="rounded-lg border border-bad bg-bad-soft px-3 py-2.5">
        <p className="font-medium text-bad">The other side said no, after {formatMs(durationMs)}</p>
        <p className="mt-1 font-mono text-sm break-words whitespace-pre-wrap">{error?.message}</p>
        <p className="mt-1.5 flex flex-wrap gap-3 text-sm text-muted">
          <code className="font-mono">{error?.code}</code>
          <Link href={paths.bridge(bridge.id, { tab: "credentials" })} className="text-accent-text underline">
            Credentials
          </Link>
          <Link href={paths.bridge(bridge.id, { tab: "settings" })} className="text-accent-text underline">
            Settings
          </Link>
        </p>
      </div>
    );
  }
  const facts = Object.entries(result ?? {}).filter(([name]) => name !== "ok");
  return (
    <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
      <span className="flex items-center gap-1.5 font-medium text-ok">
        <Icon name="check" /> It answers, within {formatMs(durationMs)}
      </span>
      {facts.map(([name, value]) => (
        <span key={name} className="text-muted">
          {sentence(name)} <span className="text-text">{valueText(value)}</span>
        </span>
      ))}
    </p>
  );
}
