import { HubApiError } from "@order-operations-hub/sdk/problem";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { queryClient } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { usePreferences } from "../../live/preferences.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { useHotkeys } from "../../ui/hotkeys.ts";
import { Icon } from "../../ui/icons.tsx";
import { canPrint } from "../../ui/print-blob.ts";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { showToast } from "../../ui/toast.tsx";
import type { DocumentKind, DocumentSource, PrintAnswers, PrintChoice } from "./documents.queries.ts";
import { deliver, requestDocument, usePrintChoice } from "./documents.queries.ts";
import { fileNames, kindNames } from "./documents.text.ts";
import { PrintOptions } from "./print-options.tsx";

type Props = {
  /** Exactly one of runId, selectionId, orderIds, shipmentIds, labelIds, filter; or a function that makes it on demand. */
  source: DocumentSource | (() => Promise<DocumentSource>);
  /** What can be printed here. The button prints the first; the arrow beside it offers all of them with paper and format. */
  kinds: readonly DocumentKind[];
  label: string;
  kind?: "primary" | "plain" | "quiet";
  /** Key that prints, such as "p". */
  keys?: string;
  disabledReason?: string | false | undefined;
  /** Only the icon on narrow screens, as in a bar of actions. */
  isCompact?: boolean;
};

type Ready = { name: string; file: Blob; settings: PrintChoice };
type Job = { settings: PrintChoice; answers: PrintAnswers };

/** Prints documents as one file: at once with the remembered paper, or with options. A label that was printed before asks first. */
export function PrintButton({ source, kinds, label, kind = "plain", keys, disabledReason, isCompact = false }: Props) {
  const me = useMe();
  const { preferences, set } = usePreferences();
  const [isOpen, setOpen] = useState(false);
  const [ready, setReady] = useState<Ready>();
  const [first = "labels"] = kinds;
  const settingsFor = usePrintChoice();
  const print = useMutation({
    mutationFn: async ({ settings, answers }: Job) => {
      const found = typeof source === "function" ? await source() : source;
      const file = await requestDocument(found, settings, answers);
      const name = `${fileNames[settings.kind]}.${settings.kind === "labels" ? settings.format : "pdf"}`;
      return { name, file, settings };
    },
    onSuccess: async (made, { settings }) => {
      setOpen(false);
      const isPrinted = settings.output === "dialog" && canPrint(made.file);
      // Browsers block a download that starts long after the click, so a large file waits for another one.
      if (isPrinted || navigator.userActivation.isActive) await handOver(made);
      else setReady(made);
      if (settings.kind !== "labels") return;
      await Promise.all(
        ["labels", "shipments", "operations"].map((key) => queryClient.invalidateQueries({ queryKey: [key] })),
      );
    },
  });
  const handOver = async ({ name, file, settings }: Ready): Promise<void> => {
    setReady(undefined);
    if ((await deliver(name, file, settings)) === "file") showToast("File downloaded", { text: name });
  };
  const { error, variables: job } = print;
  const refused =
    disabledReason ||
    missingScope(me, first === "labels" ? "shipments:write" : "orders:read") ||
    (first === "pick_list" || first === "manifest" ? undefined : missingScope(me, "pii:read"));
  const printNow = (): void => {
    if (!refused && !print.isPending) print.mutate({ settings: settingsFor(first), answers: {} });
  };
  useHotkeys(keys ? [{ keys, name: label, run: printNow }] : []);
  const answer = (answers: PrintAnswers): void => {
    if (job) print.mutate({ settings: job.settings, answers: { ...job.answers, ...answers } });
  };
  const problem = error && job && (
    <PrintProblem error={error} kind={job.settings.kind} isBusy={print.isPending} onAnswer={answer} />
  );
  return (
    <span className="inline-flex">
      <Button
        kind={kind}
        {...(keys ? { keys } : {})}
        aria-label={label}
        isBusy={print.isPending && !isOpen}
        disabledReason={refused}
        onClick={printNow}
        className="rounded-e-none"
      >
        <Icon name="printer" /> <span className={isCompact ? "max-xl:hidden" : ""}>{label}</span>
      </Button>
      <Button
        kind={kind}
        aria-label="Print options"
        aria-haspopup="dialog"
        disabledReason={disabledReason}
        onClick={() => {
          print.reset();
          setOpen(true);
        }}
        className={kind === "primary" ? "rounded-s-none border-s-on-accent/30 px-1" : "-ms-px rounded-s-none px-1"}
      >
        <Icon name="chevron-down" />
      </Button>
      {isOpen && (
        <PrintOptions
          kinds={kinds}
          settingsFor={settingsFor}
          isBusy={print.isPending}
          onClose={() => setOpen(false)}
          onPrint={(settings, onlyNew) => {
            const { kind: chosen, paper, ...others } = settings;
            set({ print: { ...preferences.print, [chosen]: { ...(paper && { paper }), ...others } } });
            print.mutate({ settings, answers: { onlyNew } });
          }}
        >
          {problem}
        </PrintOptions>
      )}
      {!isOpen && problem && (
        <Dialog title={`Print ${kindNames[job.settings.kind].toLowerCase()}`} isOpen onClose={() => print.reset()}>
          {problem}
        </Dialog>
      )}
      {ready && <ReadyFile name={ready.name} onSave={() => void handOver(ready)} onClose={() => setReady(undefined)} />}
    </span>
  );
}

/** For a file that was made long after the click. */
function ReadyFile({ name, onSave, onClose }: { name: string; onSave(): void; onClose(): void }) {
  return (
    <Dialog
      title="File is ready"
      isOpen
      onClose={onClose}
      footer={
        <Button kind="primary" onClick={onSave}>
          {`Download ${name}`}
        </Button>
      }
    >
      <p>The document took longer than usual.</p>
    </Dialog>
  );
}

type ProblemProps = { error: Error; kind: DocumentKind; isBusy: boolean; onAnswer(answers: PrintAnswers): void };

/** Why nothing was printed yet, with the ways to go on. */
function PrintProblem({ error, kind, isBusy, onAnswer }: ProblemProps) {
  const code = error instanceof HubApiError ? error.code : undefined;
  if (code === "labels_already_printed") {
    return (
      <div role="alert" className="flex flex-col gap-2.5">
        <p>{error.message} A label that is printed twice can end up on two parcels.</p>
        <div className="flex flex-wrap justify-end gap-2">
          <Button isBusy={isBusy} onClick={() => onAnswer({ onlyNew: true })}>
            Print new labels only
          </Button>
          <Button kind="primary" isBusy={isBusy} onClick={() => onAnswer({ reprint: true })}>
            Print again
          </Button>
        </div>
      </div>
    );
  }
  const isInPart = code === "labels_not_printable" || code === "documents_not_printable";
  return (
    <ProblemBox error={error}>
      {isInPart && (
        <Button isBusy={isBusy} onClick={() => onAnswer({ others: true })}>
          {`Print the other ${kind === "labels" ? "labels" : kind === "manifest" ? "shipments" : "orders"}`}
        </Button>
      )}
    </ProblemBox>
  );
}
