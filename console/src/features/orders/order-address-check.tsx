import type { Address, Order } from "@order-operations-hub/sdk/api-types";
import { useMutation } from "@tanstack/react-query";
import { missingScope, useMe } from "../../live/me.ts";
import { Button } from "../../ui/button.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { addressLines } from "./address-lines.pick.ts";
import { useEditRefusal } from "./edit-card.tsx";
import { askAddressCheck } from "./orders.queries.ts";
import { useQuickAct } from "./quick-act.ts";

/** Checks the shipping address with a carrier, if one can, and offers the form in which the carrier has it. */
export function AddressCheck({ order, address }: { order: Order; address: Address }) {
  const act = useQuickAct(order.id);
  const me = useMe();
  const check = useMutation({
    mutationFn: async () => {
      const result = missingScope(me, "carrier_accounts:read") ? undefined : await askAddressCheck(address);
      // Without a correction there is nothing to decide: the result becomes the status of the address.
      if (!result?.address) {
        const params = { on_failure: "warn" as const, ...(result ? { carrier_account_id: result.accountId } : {}) };
        await act.apply({ type: "validate_address", params }, "Address checked");
      }
      return result;
    },
  });
  const refused = useEditRefusal() ?? act.refused;
  const { data: result } = check;
  const suggestion = result?.address ? { ...address, ...result.address } : undefined;
  const use = (): void => {
    if (!result) return;
    const params = { carrier_account_id: result.accountId, apply_correction: true };
    act.run({ type: "validate_address", params }, "Address corrected", () => check.reset());
  };
  return (
    <div className="mt-1.5 flex flex-col gap-1.5">
      {suggestion ? (
        <div role="group" aria-label="Suggested address" className="rounded-md border border-accent px-2.5 py-2">
          <p className="mb-1 text-sm text-muted">{result!.accountName} suggests</p>
          <address className="break-words not-italic">
            {addressLines(suggestion).map((line, at) => (
              <div key={at}>{line}</div>
            ))}
          </address>
          <p className="mt-1.5 flex gap-2">
            <Button isBusy={act.isBusy} disabledReason={refused} onClick={use}>
              Use this address
            </Button>
            <Button kind="quiet" onClick={() => check.reset()}>
              Keep as it is
            </Button>
          </p>
        </div>
      ) : (
        order.addressStatus === "unverified" && (
          <p>
            <Button isBusy={check.isPending} disabledReason={refused} onClick={() => check.mutate()}>
              Check address
            </Button>
          </p>
        )
      )}
      {result && result.messages.length > 0 && (
        <ul className="text-sm text-warn">
          {result.messages.map((message) => (
            <li key={message}>{message}</li>
          ))}
        </ul>
      )}
      {(check.error ?? act.error) && <ProblemBox error={check.error ?? act.error} />}
    </div>
  );
}
