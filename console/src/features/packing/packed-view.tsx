import type { Label, PackingSession } from "@order-operations-hub/sdk/api-types";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { paths } from "../../app/paths.ts";
import { hub, queryClient } from "../../live/hub.ts";
import { formatMoney, plural } from "../../ui/format.ts";
import { Icon } from "../../ui/icons.tsx";
import { Link } from "../../ui/link.tsx";
import { deliver, requestDocument, usePrintChoice } from "../documents/documents.queries.ts";
import { labelQuery, labelRunQuery } from "./packing.queries.ts";
import { text } from "./packing.text.ts";
import type { StationSettings } from "./station-settings.ts";
import { StationButton } from "./station-button.tsx";

/** What the station can do with the label now. */
export type LabelState = ReturnType<typeof useLabel>;

/** The label of a packed order: bought by a run, printed, voided. `isFinishedHere`: packed on this page since it was loaded. */
export function useLabel(session: PackingSession | undefined, settings: StationSettings, isFinishedHere: boolean) {
  const isPacked = session?.status === "packed";
  const { data: run } = useQuery(labelRunQuery(isPacked ? session.labelRunId : null));
  const [result] = run?.finished_at ? run.results : [];
  const labelId = result?.steps.flatMap((step) => step.label_ids ?? [])[0];
  const { data: label, refetch } = useQuery(labelQuery(labelId));
  const choiceOf = usePrintChoice();
  const print = useMutation({
    mutationFn: async ({ id, trackingNumber, parcels }: Label) => {
      const chosen = choiceOf("labels");
      // ZPL cannot be made from a label that the carrier sold as PDF or image.
      const choice = parcels.some(({ contentType }) => contentType === "application/zpl")
        ? chosen
        : { ...chosen, format: "pdf" as const };
      const file = await requestDocument({ labelIds: [id] }, choice, { reprint: true });
      return { id, printed: await deliver(`label-${trackingNumber ?? id}.${choice.format}`, file, choice) };
    },
    onSettled: () => refetch(),
  });
  const slip = useMutation({
    mutationFn: async ({ orderId, orderNumber }: PackingSession) => {
      const choice = choiceOf("packing_slips");
      const file = await requestDocument({ orderIds: [orderId] }, choice);
      await deliver(`packing-slip-${orderNumber}.pdf`, file, choice);
    },
  });
  const cancel = useMutation({
    mutationFn: ({ id }: Label) => hub.call("DELETE /api/v1/shipments/labels/{id}", { path: { id } }),
    onSuccess: (voided) => queryClient.setQueryData(labelQuery(voided.id).queryKey, voided),
  });
  const [isVoidAsked, setVoidAsked] = useState(false);
  const sent = useRef<string>(undefined);
  const isNew = label?.status === "purchased" && label.printedAt === null && settings.prints && isFinishedHere;
  useEffect(() => {
    if (!isNew || sent.current === label.id) return;
    sent.current = label.id;
    print.mutate(label);
  }, [isNew, label, print]);
  const isGood = label?.status === "purchased";
  return {
    isWaiting: isPacked && session.labelRunId !== null && !run?.finished_at,
    label,
    /** Name of the service, if the carrier gave a price for it. */
    service: result?.steps.flatMap(({ price }) => price?.service_name ?? []).at(-1),
    /** Why there is no label. */
    failure: isGood || label?.status === "voided" || !result ? undefined : failureOf(result.error, label),
    printError: print.error ?? slip.error,
    isPrinting: print.isPending,
    /** What became of the label, if this page printed it. */
    printed: print.data && print.data.id === label?.id ? print.data.printed : undefined,
    printSlip: isPacked && !slip.isPending ? () => slip.mutate(session) : undefined,
    isPrinted: label?.printedAt !== undefined && label.printedAt !== null,
    voidError: cancel.error,
    isVoidAsked: isVoidAsked && isGood,
    printAgain: isGood ? () => print.mutate(label) : undefined,
    /** Pressed twice: the label is paid for. */
    voidLabel: isGood
      ? () => {
          if (isVoidAsked) cancel.mutate(label);
          setVoidAsked(!isVoidAsked);
        }
      : undefined,
  };
}

type StepError = { message: string; fix?: string } | null;

function failureOf(error: StepError, label: Label | undefined): string | undefined {
  if (label?.failure) return label.failure.message;
  if (!error) return "The run bought no label: all items of the order have labels already.";
  return error.fix ? `${error.message} ${error.fix}` : error.message;
}

/** The order is packed: its label, and what can be done with it. */
export function PackedView({
  session,
  state,
  onBuy,
}: {
  session: PackingSession;
  state: LabelState;
  /** Buys the label again, after a failed or voided one. */
  onBuy(): void;
}) {
  const { label, failure, isWaiting } = state;
  const isVoided = label?.status === "voided";
  const needsLabel = !isWaiting && (failure !== undefined || isVoided || session.labelRunId === null);
  return (
    <section
      aria-label="Order packed"
      className="flex min-h-0 flex-col items-center justify-center gap-2 rounded-lg border border-line bg-panel px-6 py-10 text-center"
    >
      <span
        className={
          failure
            ? "mb-2 grid size-22 place-items-center rounded-full bg-bad-soft text-bad"
            : "mb-2 grid size-22 place-items-center rounded-full bg-ok-soft text-ok"
        }
      >
        <Icon name={failure ? "alert" : "check"} size={40} weight={2} />
      </span>
      <h1 className="text-[28px] font-semibold tracking-tight">{session.orderNumber} is packed</h1>
      <p role="status" className="max-w-130 text-[16px] text-muted">
        {statusText(session, state)}
      </p>
      {label && label.status === "purchased" && <LabelFacts label={label} service={state.service} />}
      {(state.printError ?? state.voidError) && (
        <p role="alert" className="font-medium text-bad">
          {(state.printError ?? state.voidError)?.message}
        </p>
      )}
      <div className="mt-4 flex flex-wrap justify-center gap-2 text-[15px]">
        {state.printAgain && (
          <StationButton keys="R" onPress={state.printAgain} className="gap-2 px-3">
            <Icon name="printer" size={16} /> {state.isPrinted ? "Print again" : "Print label"} <Key name="R" />
          </StationButton>
        )}
        {state.voidLabel && (
          <StationButton keys="V" onPress={state.voidLabel} look="quiet" className="gap-2 px-3">
            <Icon name="undo" size={16} /> {state.isVoidAsked ? "Press V again to void" : "Void label"} <Key name="V" />
          </StationButton>
        )}
        {state.printSlip && (
          <StationButton keys="P" onPress={state.printSlip} look="quiet" className="gap-2 px-3">
            <Icon name="printer" size={16} /> Packing slip <Key name="P" />
          </StationButton>
        )}
        {needsLabel && (
          <StationButton keys="R" onPress={onBuy} className="gap-2 px-3">
            <Icon name="redo" size={16} /> {failure ? "Try again" : "Buy label"} <Key name="R" />
          </StationButton>
        )}
        <Link
          href={paths.order(session.orderNumber)}
          className="inline-flex min-h-11 items-center px-3 text-accent-text underline underline-offset-2"
        >
          Open order
        </Link>
      </div>
    </section>
  );
}

function statusText(
  session: PackingSession,
  { isWaiting, failure, label, isPrinted, isPrinting, printed }: LabelState,
): string {
  if (isWaiting) return "Buying the label…";
  if (failure) return `The label was not bought. ${failure}`;
  if (label?.status === "voided") return "The label is voided. The items of the order are not shipped.";
  if (session.labelRunId === null) return `${plural(session.packedCount, "item")} packed. No label was bought.`;
  const where = session.box ? `Put the label on ${session.box.name}.` : "Put the label on the box.";
  if (isPrinting || !label) return "Preparing the label…";
  if (printed) return `${text.printed[printed]}. ${where}`;
  return isPrinted ? `The label was printed before. ${where}` : "The label is bought. Print it next.";
}

function LabelFacts({ label, service }: { label: Label; service: string | undefined }) {
  const facts = [
    ["Service", service ?? label.service],
    ["Weight", `${label.weight.value} ${label.weight.unit}`],
    ["Cost", formatMoney(label.cost, label.currency)],
  ] as const;
  return (
    <dl className="mt-4 flex flex-wrap justify-center gap-x-9 gap-y-2 text-start">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt className="text-muted">{name}</dt>
          <dd className="text-[17px] font-semibold break-all">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Key({ name }: { name: string }) {
  return (
    <kbd aria-hidden className="rounded-sm border border-line-strong bg-panel px-1 py-0.5 font-mono text-xs text-faint">
      {name}
    </kbd>
  );
}
