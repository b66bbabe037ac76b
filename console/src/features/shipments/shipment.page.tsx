import type { Shipment } from "@order-operations-hub/sdk/api-types";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { paths } from "../../app/paths.ts";
import { hub, queryClient } from "../../live/hub.ts";
import { useMe } from "../../live/me.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Card, Heading } from "../../ui/card.tsx";
import { ConfirmButton } from "../../ui/confirm.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { sentence } from "../../ui/format.ts";
import { Link } from "../../ui/link.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { RecordPage } from "../../ui/record-page.tsx";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import { showToast } from "../../ui/toast.tsx";
import { PrintButton } from "../documents/print-button.pick.tsx";
import { ShipmentCorrectionForm, TrackingEventDialog } from "./shipment-correction.form.tsx";
import { ShipmentFacts, ShipmentLabels, TrackingTimeline } from "./shipment-facts.tsx";
import { shipmentCan } from "./shipment.can.ts";
import { ShipmentStatus } from "./shipments.page.tsx";
import { shipmentQuery } from "./shipments.queries.ts";
import { riskMeanings, riskNames } from "./shipments.text.ts";

const above = { href: paths.shipments(), name: "Shipments" };

export function ShipmentPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  return (
    <RecordPage above={above} query={useQuery(shipmentQuery(id))}>
      {(shipment) => <ShipmentView shipment={shipment} key={id} />}
    </RecordPage>
  );
}

function ShipmentView({ shipment }: { shipment: Shipment }) {
  const { id } = shipment;
  const { search, set } = useSearchParams();
  const me = useMe();
  const track = useMutation({
    mutationFn: () => hub.call("POST /api/v1/shipments/{id}/track", { path: { id } }),
    onSuccess: ({ shipment: fresh, wasPolled, hasUpdates }) => {
      queryClient.setQueryData(["shipments", "one", id], fresh);
      showToast(
        hasUpdates ? "Tracking updated" : wasPolled ? "No new tracking events" : "Tracking was checked a moment ago",
      );
    },
  });
  const open = oneOf(search["edit"]);
  const close = (): void => set({ edit: undefined });
  return (
    <>
      <PageHead
        above={above}
        title={<span className="font-mono">{shipment.trackingNumber ?? "No tracking number"}</span>}
        note={<ShipmentStatus shipment={shipment} />}
      >
        <Button onClick={() => set({ edit: "fields" })} disabledReason={shipmentCan.change(me)}>
          Edit
        </Button>
        <AnotherLabel shipment={shipment} />
        <PrintButton
          source={{ shipmentIds: [id] }}
          kinds={shipment.orderId ? ["labels", "packing_slips"] : ["labels"]}
          label="Print label"
          disabledReason={shipment.voidedAt !== null && "The shipment is voided."}
        />
        <ConfirmButton
          label="Void"
          title="Void this shipment?"
          yes="Void shipment"
          disabledReason={shipmentCan.void(shipment, me)}
          run={async () => {
            await hub.call("POST /api/v1/shipments/{id}/void", { path: { id }, ifMatch: shipment.version });
            await queryClient.invalidateQueries({ queryKey: ["shipments"] });
            showToast("Shipment voided");
          }}
        >
          <p>The items of this shipment count as not shipped.</p>
          <p className="text-muted">The carrier is not notified. To get a credit, void the label of the shipment.</p>
        </ConfirmButton>
        <Button
          kind="primary"
          isBusy={track.isPending}
          onClick={() => track.mutate()}
          disabledReason={shipmentCan.track(shipment, me)}
        >
          Check tracking
        </Button>
      </PageHead>
      {track.error && <ProblemBox error={track.error} />}
      <Risks shipment={shipment} />
      <div className="grid items-start gap-3.5 xl:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
        <div className="flex flex-col gap-3.5">
          <Card className="px-3 py-2" label="Shipment">
            <ShipmentFacts shipment={shipment} />
          </Card>
          <ShipmentLabels shipment={shipment} />
        </div>
        <Card className="px-3 py-2.5" label="Tracking">
          <Heading title="Tracking" note="newest first">
            <Button kind="quiet" onClick={() => set({ edit: "event" })} disabledReason={shipmentCan.change(me)}>
              Add event
            </Button>
          </Heading>
          <TrackingTimeline shipment={shipment} />
        </Card>
      </div>
      <Dialog title="Edit shipment" isOpen={open === "fields"} onClose={close}>
        <ShipmentCorrectionForm shipment={shipment} onDone={close} />
      </Dialog>
      {open === "event" && <TrackingEventDialog shipment={shipment} onClose={close} />}
    </>
  );
}

function Risks({ shipment: { atRisk, riskReasons } }: { shipment: Shipment }) {
  if (!atRisk) return null;
  return (
    <ul aria-label="Reasons for the risk" className="mb-3 rounded-lg border border-bad bg-bad-soft px-3 py-2">
      {riskReasons.map((reason) => (
        <li key={reason}>
          <span className="font-medium text-bad">{riskNames[reason] ?? sentence(reason)}</span>:{" "}
          {riskMeanings[reason] ?? ""}
        </li>
      ))}
    </ul>
  );
}

/** Another label for the same order, such as a replacement. */
function AnotherLabel({ shipment: { orderId } }: { shipment: Shipment }) {
  if (!orderId) return null;
  return (
    <Link href={paths.newLabel({ order: orderId, again: "yes" })} className={buttonClass("plain")}>
      Buy another label
    </Link>
  );
}
