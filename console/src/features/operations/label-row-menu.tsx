import type { OperationRunResult } from "@order-operations-hub/sdk/api-types";
import { useMutation } from "@tanstack/react-query";
import { queryClient } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { Menu } from "../../ui/menu.tsx";
import { showToast } from "../../ui/toast.tsx";
import { deliver, requestDocument, usePrintChoice } from "../documents/documents.queries.ts";
import { useBulkEdit } from "./use-bulk-edit.ts";

/** Prints or voids the labels of one order of a run. Voiding opens its preview. */
export function LabelRowMenu({ result }: { result: OperationRunResult }) {
  const me = useMe();
  const open = useBulkEdit();
  const choiceOf = usePrintChoice();
  const labels = (result.labels ?? []).filter(({ status }) => status === "purchased");
  const name = result.order_number ?? result.ref;
  const isPrinted = labels.some((label) => label.print_count > 0);
  const print = useMutation({
    mutationFn: async () => {
      const choice = choiceOf("labels");
      const file = await requestDocument({ labelIds: labels.map(({ id }) => id) }, choice, { reprint: true });
      return await deliver(`label-${name}.${choice.format}`, file, choice);
    },
    onSuccess: async (printed) => {
      if (printed === "file") showToast("Label downloaded", { text: name });
      await queryClient.invalidateQueries({ queryKey: ["operations"] });
    },
    onError: (error) => showToast("The label was not printed", { text: error.message }),
  });
  const cancel = useMutation({
    mutationFn: () => open({ refs: [result.order_id ?? result.ref] }, { step: "void_label" }),
    onError: (error) => showToast("The preview could not be opened", { text: error.message }),
  });
  if (labels.length === 0) return null;
  const refused = missingScope(me, "shipments:write");
  return (
    <Menu
      label="…"
      name={`Label actions for ${name}`}
      kind="quiet"
      items={[
        {
          label: isPrinted ? "Print label again" : "Print label",
          ...(isPrinted ? { note: "A label that is printed twice can end up on two parcels" } : {}),
          disabledReason: refused ?? missingScope(me, "pii:read"),
          onPick: () => print.mutate(),
        },
        {
          label: "Void label",
          note: "Shows a preview first",
          disabledReason:
            refused ?? (labels.some((label) => label.is_void_pending) ? "The carrier is asked already." : undefined),
          onPick: () => cancel.mutate(),
        },
      ]}
    />
  );
}
