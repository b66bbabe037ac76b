import type { Label } from "@order-operations-hub/sdk/api-types";
import { hub, queryClient } from "../../live/hub.ts";
import { useMe } from "../../live/me.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { ConfirmButton } from "../../ui/confirm.tsx";
import { formatMoney } from "../../ui/format.ts";
import { Icon } from "../../ui/icons.tsx";
import { showToast } from "../../ui/toast.tsx";
import { labelCan } from "./label.can.ts";
import { labelFile } from "./labels.queries.ts";

const renew = async (): Promise<void> => {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ["labels"] }),
    queryClient.invalidateQueries({ queryKey: ["shipments"] }),
  ]);
};

/** Actions of a label. */
export function LabelActions({ label }: { label: Label }) {
  const me = useMe();
  const noPrint = labelCan.print(label, me);
  return (
    <span className="inline-flex items-center gap-0.5">
      {noPrint ? (
        <Button kind="quiet" disabledReason={noPrint}>
          <Icon name="download" size={12} /> Download
        </Button>
      ) : (
        <a href={labelFile(label)} download className={buttonClass("quiet")}>
          <Icon name="download" size={12} /> Download
        </a>
      )}
      {label.status === "failed" ? (
        <ConfirmButton
          key="retry"
          kind="quiet"
          label="Retry"
          title="Retry the purchase?"
          yes="Retry purchase"
          disabledReason={labelCan.retry(label, me)}
          run={async () => {
            await hub.call("POST /api/v1/shipments/labels/{id}/retry", { path: { id: label.id } });
            await renew();
          }}
        >
          <p>The carrier is asked with the same request key, so a label that was already bought is not bought again.</p>
        </ConfirmButton>
      ) : (
        <ConfirmButton
          key="void"
          kind="quiet"
          isDangerous
          label="Void"
          title={`Void ${label.trackingNumber ?? "this label"}?`}
          yes="Void label"
          disabledReason={labelCan.void(label, me)}
          run={async () => {
            await hub.call("DELETE /api/v1/shipments/labels/{id}", { path: { id: label.id } });
            await renew();
            showToast("Label voided");
          }}
        >
          <p>
            The carrier is asked to credit the label
            {label.cost !== null && ` of ${formatMoney(label.cost, label.currency)}`}, and its shipment is voided. The
            items count as not shipped.
          </p>
        </ConfirmButton>
      )}
    </span>
  );
}
