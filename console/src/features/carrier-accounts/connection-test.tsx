import type { Answer } from "@order-operations-hub/sdk/client";
import { useMutation } from "@tanstack/react-query";
import { useEffect } from "react";
import { hub } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { Button } from "../../ui/button.tsx";
import { Card, Heading } from "../../ui/card.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";

type Result = Answer<"POST /api/v1/carrier-accounts/{id}/test">;

const parts: Record<Result["problems"][number]["part"], string> = {
  key: "Key",
  account: "Account number",
  permission: "Permission",
  address: "Address",
  settings: "Settings",
};

/** Asks the carrier whether the account works. `startsNow`: for an account that was just created. */
export function ConnectionTest({ id, startsNow }: { id: string; startsNow: boolean }) {
  const refused = missingScope(useMe(), "carrier_accounts:write");
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () => hub.call("POST /api/v1/carrier-accounts/{id}/test", { path: { id } }),
  });
  const isWanted = startsNow && !refused;
  useEffect(() => {
    if (isWanted) mutate();
  }, [isWanted, mutate]);
  return (
    <Card className="px-3 py-2.5" label="Connection">
      <Heading title="Connection">
        <Button isBusy={isPending} disabledReason={refused} onClick={() => mutate()}>
          Test connection
        </Button>
      </Heading>
      <div aria-live="polite">
        {isPending && <p className="text-muted">Asking the carrier…</p>}
        {error && <ProblemBox error={error} />}
        {data && !isPending && <Outcome result={data} />}
        {!data && !error && !isPending && (
          <p className="text-muted">Checks key, account number and permissions with the carrier. Nothing is bought.</p>
        )}
      </div>
    </Card>
  );
}

function Outcome({ result: { ok, problems } }: { result: Result }) {
  if (ok) return <p className="text-ok">The connection works.</p>;
  return (
    <ul>
      {problems.map(({ part, message }) => (
        <li key={`${part} ${message}`}>
          <strong className="font-medium text-bad">{parts[part]}:</strong> {message}
        </li>
      ))}
    </ul>
  );
}
