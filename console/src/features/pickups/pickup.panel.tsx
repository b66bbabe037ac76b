import type { Pickup } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { hub, queryClient } from "../../live/hub.ts";
import { useMe } from "../../live/me.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { formatDay, formatLongDay, cityOfZone } from "../../ui/calendar.ts";
import { Heading, Skeleton } from "../../ui/card.tsx";
import { ConfirmButton } from "../../ui/confirm.tsx";
import { CopyText } from "../../ui/copy-text.tsx";
import { SidePanel } from "../../ui/dialog.tsx";
import { Fact, Facts } from "../../ui/facts.tsx";
import { formatMoney, plural, sentence } from "../../ui/format.ts";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { useSearchParams } from "../../ui/search-params.ts";
import { TextField } from "../../ui/text-field.tsx";
import { showToast } from "../../ui/toast.tsx";
import { Time } from "../../ui/zone.tsx";
import { PickupBookingForm } from "./pickup-booking.form.tsx";
import { pickupCan } from "./pickups.can.ts";
import { pickupAccountsQuery, pickupLocationsQuery, pickupQuery } from "./pickups.queries.ts";
import { pickupMeanings, pickupTones, placeName, windowText } from "./pickups.text.ts";

type Props = { id: string | undefined; isMoving: boolean; onClose(): void };

/** Details and actions of one pickup. */
export function PickupPanel({ id, isMoving, onClose }: Props) {
  const { data: pickup, error } = useQuery(pickupQuery(id));
  const { set } = useSearchParams();
  const title = pickup ? `${formatDay(pickup.window.date)}, ${windowText(pickup)}` : "Pickup";
  return (
    <SidePanel title={isMoving && pickup ? `Reschedule ${title}` : title} isOpen={id !== undefined} onClose={onClose}>
      {error && <ProblemBox error={error} />}
      {!pickup && !error && <Skeleton />}
      {pickup &&
        (isMoving ? (
          <PickupBookingForm
            key={pickup.version}
            moving={pickup}
            onDone={() => set({ move: undefined, week: undefined })}
          />
        ) : (
          <Details pickup={pickup} />
        ))}
    </SidePanel>
  );
}

function Details({ pickup }: { pickup: Pickup }) {
  const { set } = useSearchParams();
  const me = useMe();
  const { data: accounts } = useQuery(pickupAccountsQuery);
  const { data: places } = useQuery(pickupLocationsQuery);
  const at = pickup.pickupAddress;
  const meaning =
    pickup.failure?.message ??
    (pickup.hasPendingChange
      ? "A change was requested. The carrier has not answered yet."
      : pickupMeanings[pickup.status]);
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <Badge tone={pickupTones[pickup.status] ?? "skip"}>{sentence(pickup.status)}</Badge>
        {pickup.isCompletionAssumed && (
          <span className="text-sm text-muted">assumed: the carrier reported no problem</span>
        )}
        <span className="flex-1" />
        {pickup.status === "failed" ? (
          <RetryButton pickup={pickup} />
        ) : (
          <>
            <Button onClick={() => set({ move: "1" })} disabledReason={pickupCan.move(pickup, me)}>
              Reschedule
            </Button>
            <CancelButton pickup={pickup} />
          </>
        )}
      </div>
      {meaning && (
        <p className={pickup.status === "failed" || pickup.status === "missed" ? "text-bad" : "text-muted"}>
          {meaning}
        </p>
      )}
      <Facts>
        <Fact name="Day">{formatLongDay(pickup.window.date)}</Fact>
        <Fact name="Window">{`${windowText(pickup)}, ${cityOfZone(pickup.timezone)} time`}</Fact>
        <Fact name="Location">
          {places?.find((place) => place.id === pickup.locationId)?.name ?? placeName(pickup)}
        </Fact>
        <Fact name="Address">
          {[at.address1, at.address2, at.city, at.provinceCode, at.zip].filter(Boolean).join(", ")}
        </Fact>
        <Fact name="Carrier">
          {accounts?.find((account) => account.id === pickup.carrierAccountId)?.name ?? pickup.carrier}
        </Fact>
        <Fact name="Confirmation">
          {pickup.confirmationNumber && <CopyText text={pickup.confirmationNumber} label="Copy confirmation number" />}
        </Fact>
        <Fact name="Packages">
          {plural(pickup.packageCount, "package") +
            (pickup.totalWeight ? `, ${pickup.totalWeight.value} ${pickup.totalWeight.unit}` : "")}
        </Fact>
        <Fact name="Instructions">{pickup.instructions}</Fact>
        <Fact name="Fee">{pickup.fee && formatMoney(pickup.fee.amount, pickup.fee.currency)}</Fact>
        <Fact name="Cancel until">
          <Time at={pickup.cancelBy} />
        </Fact>
        {pickup.cancelReason && <Fact name="Cancellation reason">{pickup.cancelReason}</Fact>}
      </Facts>
      {pickup.messages.map((message) => (
        <p key={message} className="text-sm text-warn">
          {message}
        </p>
      ))}
      <div>
        <Heading title="Activity" />
        <ol className="flex flex-col gap-1">
          {pickup.history.map((entry, at) => (
            <li key={at} className="grid grid-cols-[96px_1fr] gap-x-3">
              <span className="text-muted">
                <Time at={entry.at} />
              </span>
              <span>
                {sentence(entry.status)}
                {entry.note && <span className="text-muted">: {entry.note}</span>}
              </span>
            </li>
          ))}
        </ol>
      </div>
    </div>
  );
}

const renew = () => queryClient.invalidateQueries({ queryKey: ["pickups"] });

function CancelButton({ pickup }: { pickup: Pickup }) {
  const me = useMe();
  const [reason, setReason] = useState("");
  return (
    <ConfirmButton
      label="Cancel pickup"
      title={`Cancel the pickup of ${formatDay(pickup.window.date)}, ${windowText(pickup)}?`}
      yes="Cancel pickup"
      no="Keep pickup"
      disabledReason={pickupCan.cancel(pickup, me)}
      run={async () => {
        await hub.call("DELETE /api/v1/pickups/{id}", {
          path: { id: pickup.id },
          query: reason.trim() ? { reason: reason.trim() } : {},
        });
        await renew();
        showToast("Pickup cancelled");
      }}
    >
      <p>The carrier does not collect {plural(pickup.packageCount, "package")}.</p>
      <TextField label="Reason (optional)" value={reason} maxLength={200} onChange={setReason} />
    </ConfirmButton>
  );
}

function RetryButton({ pickup }: { pickup: Pickup }) {
  const me = useMe();
  return (
    <ConfirmButton
      kind="plain"
      label="Retry booking"
      title="Retry the booking?"
      yes="Retry booking"
      disabledReason={pickupCan.retry(pickup, me)}
      run={async () => {
        await hub.call("POST /api/v1/pickups/{id}/retry", { path: { id: pickup.id } });
        await renew();
      }}
    >
      <p>The carrier is asked with the same request key, so a pickup that was already booked is not booked again.</p>
    </ConfirmButton>
  );
}
