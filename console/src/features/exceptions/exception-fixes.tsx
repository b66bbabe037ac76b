import { useState } from "react";
import { useMe } from "../../live/me.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmButton } from "../../ui/confirm.tsx";
import { exceptionCan } from "./exceptions.can.ts";
import type { Exception, FixRequest } from "./exceptions.queries.ts";
import { fixName, text } from "./exceptions.text.ts";
import { FoundPurchase } from "./found-purchase.form.tsx";

type Props = { exception: Exception; isBusy: boolean; onFix(body: FixRequest): void; onEdit(): void };

/** Available actions, each with its effect. The first is the usual choice. */
export function FixButtons({ exception, isBusy, onFix, onEdit }: Props) {
  const me = useMe();
  const [isMarking, setMarking] = useState(false);
  const isUnknown = exception.kind === "push" && exception.code === "outcome_unknown";
  return (
    <section aria-label="What can be done" className="flex flex-col gap-1.5">
      {isUnknown && <p className="text-warn">{text.unknown}</p>}
      {exception.availableActions.map((fix, at) => (
        <div key={fix.action} className="flex items-center gap-2.5">
          <Button
            kind={at === 0 && fix.action !== "dismiss" ? "primary" : "plain"}
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
            label="Send it again"
            title="Have you looked at the other side?"
            yes="The shop did not receive it. Send again"
            isDangerous
            disabledReason={exceptionCan.fix({ scope: "tasks:execute" }, me)}
            run={async () => onFix({ action: "retry", forceResend: true })}
          >
            <p>It may have arrived all the same. Sent once more, it would be there twice.</p>
          </ConfirmButton>
          <span className="text-muted">Also if it may have arrived</span>
        </div>
      )}
    </section>
  );
}
