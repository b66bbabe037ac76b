import { useState } from "react";
import { useMe } from "../../live/me.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmButton } from "../../ui/confirm.tsx";
import { exceptionCan } from "./exceptions.can.ts";
import type { Exception, FixRequest } from "./exceptions.queries.ts";
import { fixName, text } from "./exceptions.text.ts";
import { FoundPurchase } from "./found-purchase.form.tsx";

type Props = {
  exception: Exception;
  isBusy: boolean;
  /** Another part of the panel has the usual action. */
  isSecondary: boolean;
  onFix(body: FixRequest): void;
  onEdit(): void;
};

/** Available actions, each with its effect. The first is the usual choice. */
export function FixButtons({ exception, isBusy, isSecondary, onFix, onEdit }: Props) {
  const me = useMe();
  const [isMarking, setMarking] = useState(false);
  const isUnknown = exception.kind === "push" && exception.code === "outcome_unknown";
  return (
    <section aria-label="Actions" className="flex flex-col gap-1.5">
      {isUnknown && <p className="text-warn">{text.unknown}</p>}
      {exception.availableActions.map((fix, at) => (
        <div key={fix.action} className="flex items-center gap-2.5">
          <Button
            kind={at === 0 && !isSecondary && fix.action !== "dismiss" ? "primary" : "plain"}
            className="min-w-32"
            isBusy={isBusy}
            disabledReason={exceptionCan.fix(fix, me)}
            onClick={() => {
              if (fix.action === "edit_and_retry") onEdit();
              else if (fix.action === "mark_purchased") setMarking(true);
              else onFix({ action: fix.action as "retry" });
            }}
          >
            {fixName(fix.action)}
          </Button>
          <span className="text-muted">{fix.title}</span>
        </div>
      ))}
      {isMarking && (
        <FoundPurchase
          isBusy={isBusy}
          onSave={(purchase) => onFix({ action: "mark_purchased", purchase })}
          onCancel={() => setMarking(false)}
        />
      )}
      {isUnknown && exception.availableActions.some(({ action }) => action === "retry") && (
        <div className="flex items-center gap-2.5">
          <ConfirmButton
            label="Send again"
            title="Send again?"
            yes="Send again"
            isDangerous
            disabledReason={exceptionCan.fix({ scope: "tasks:execute" }, me)}
            run={async () => onFix({ action: "retry", forceResend: true })}
          >
            <p>
              Check the other system first: the request may have arrived. Sending it again could create a duplicate.
            </p>
          </ConfirmButton>
          <span className="text-muted">Even though it may have arrived</span>
        </div>
      )}
    </section>
  );
}
