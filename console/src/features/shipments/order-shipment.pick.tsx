import type { Label } from "@order-operations-hub/sdk/api-types";
import { useState } from "react";
import { useRouter } from "@tanstack/react-router";
import { paths } from "../../app/paths.ts";
import { hub, queryClient } from "../../live/hub.ts";
import type { Me } from "../../live/me.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { formatMoney } from "../../ui/format.ts";
import { Menu } from "../../ui/menu.tsx";
import { showToast } from "../../ui/toast.tsx";
import { PrintButton } from "../documents/print-button.pick.tsx";
import { labelCan } from "./label.can.ts";
import { shipmentTones, statusNames } from "./shipments.text.ts";

export { shipmentTones };
export const shipmentNames = statusNames;

/** Print and void of the label of a shipment, on the page of its order. */
export function LabelMenu({ shipmentId, label, me }: { shipmentId: string; label: Label | undefined; me: Me }) {
  const [isVoiding, setVoiding] = useState(false);
  const router = useRouter();
  const noPrint = label ? labelCan.print(label, me) : "The label was not bought here.";
  return (
    <>
      {label && !noPrint && <PrintButton source={{ labelIds: [label.id] }} kinds={["labels"]} label="Print label" />}
      <Menu
        kind="quiet"
        name="More about this shipment"
        label="…"
        items={[
          { label: "Open shipment", onPick: () => router.history.push(paths.shipment(shipmentId)) },
          {
            label: "Void label",
            disabledReason: label ? labelCan.void(label, me) : "The label was not bought here.",
            onPick: () => setVoiding(true),
          },
        ]}
      />
      {isVoiding && label && (
        <Confirm
          title={`Void ${label.trackingNumber ?? "this label"}?`}
          yes="Void label"
          isDangerous
          onClose={() => setVoiding(false)}
          run={async () => {
            await hub.call("DELETE /api/v1/shipments/labels/{id}", { path: { id: label.id } });
            await Promise.all(
              ["labels", "shipments", "orders"].map((kind) => queryClient.invalidateQueries({ queryKey: [kind] })),
            );
            showToast("Label voided");
          }}
        >
          <p>
            The carrier is asked to credit the label
            {label.cost !== null && ` of ${formatMoney(label.cost, label.currency)}`}. Its items count as not shipped.
          </p>
        </Confirm>
      )}
    </>
  );
}
