import type { Input } from "@order-operations-hub/sdk/client";
import { HubApiError } from "@order-operations-hub/sdk/problem";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { hub, queryClient } from "../../live/hub.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { downloadBlob } from "../../ui/download-text.ts";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { Select } from "../../ui/select.tsx";
import { showToast } from "../../ui/toast.tsx";

type Request = NonNullable<Input<"POST /api/v1/shipments/labels/documents">["body"]>;
type Settings = Required<Pick<Request, "format" | "size" | "sort">>;

const papers = [
  { value: "pdf 4x6", label: "PDF, 4 x 6 in", note: "a label a page" },
  { value: "pdf letter", label: "PDF, letter", note: "two labels a page" },
  { value: "pdf a4", label: "PDF, A4", note: "two labels a page" },
  { value: "zpl 4x6", label: "ZPL", note: "for label printers" },
];
const sorts = [
  { value: "given", label: "As listed" },
  { value: "sku", label: "SKU" },
  { value: "location", label: "Location" },
  { value: "created", label: "Time of purchase" },
];

type Props = {
  /** Which labels, as in the request. */
  source: Pick<Request, "labelIds" | "runId">;
  label: string;
  disabledReason?: string | false | undefined;
  kind?: "primary" | "plain";
};

/** Button and dialog that print labels as one file. */
export function PrintLabels({ source, label, disabledReason, kind = "plain" }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button kind={kind} disabledReason={disabledReason} onClick={() => setOpen(true)}>
        {label}
      </Button>
      {isOpen && <PrintDialog source={source} onClose={() => setOpen(false)} />}
    </>
  );
}

function PrintDialog({ source, onClose }: Pick<Props, "source"> & { onClose(): void }) {
  const [settings, setSettings] = useState<Settings>({ format: "pdf", size: "4x6", sort: "given" });
  const [isUnprintedOnly, setUnprintedOnly] = useState(false);
  const { format, size, sort } = settings;
  const print = useMutation({
    mutationFn: async (skipUnavailable: boolean) => {
      const body: Request = {
        ...source,
        format,
        ...(format === "pdf" && { size }),
        sort,
        ...(isUnprintedOnly && { isPrinted: false }),
        skipUnavailable,
      };
      const file = await hub.call("POST /api/v1/shipments/labels/documents", { body });
      downloadBlob(`labels.${format}`, file);
    },
    onSuccess: async () => {
      showToast("Labels printed", { text: `labels.${format} was downloaded.` });
      onClose();
      await queryClient.invalidateQueries({ queryKey: ["labels"] });
    },
  });
  const isInPart = print.error instanceof HubApiError && print.error.code === "labels_not_printable";
  const setPaper = (chosen: string): void => {
    const [nextFormat, nextSize] = chosen.split(" ") as [Settings["format"], Settings["size"]];
    setSettings({ ...settings, format: nextFormat, size: nextSize });
  };
  return (
    <Dialog
      title="Print labels"
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Not now</Button>
          <Button kind="primary" isBusy={print.isPending} onClick={() => print.mutate(false)}>
            Print
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-2.5">
        <Select label="Format" value={`${format} ${size}`} options={papers} onChange={setPaper} />
        <Select
          label="Sort by"
          value={sort}
          options={sorts}
          onChange={(next) => setSettings({ ...settings, sort: next as Settings["sort"] })}
        />
        <Checkbox label="Only labels not printed yet" isChecked={isUnprintedOnly} onChange={setUnprintedOnly} />
        {print.error && (
          <ProblemBox error={print.error}>
            {isInPart && <Button onClick={() => print.mutate(true)}>Print the others</Button>}
          </ProblemBox>
        )}
      </div>
    </Dialog>
  );
}
