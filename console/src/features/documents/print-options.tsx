import type { ReactNode } from "react";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Select } from "../../ui/select.tsx";
import type { DocumentKind, Paper, PrintChoice } from "./documents.queries.ts";
import { kindNames, paperNames, sortNames } from "./documents.text.ts";

type Props = {
  kinds: readonly DocumentKind[];
  settingsFor(kind: DocumentKind): PrintChoice;
  isBusy: boolean;
  onPrint(settings: PrintChoice, onlyNew: boolean): void;
  onClose(): void;
  /** Why nothing was printed. */
  children: ReactNode;
};

const papers = Object.keys(paperNames) as Paper[];

/** Kind, paper, format and order of a document, and where it goes. */
export function PrintOptions({ kinds, settingsFor, isBusy, onPrint, onClose, children }: Props) {
  const [settings, setSettings] = useState(() => settingsFor(kinds[0] ?? "labels"));
  const [onlyNew, setOnlyNew] = useState(false);
  const { kind, paper, format, sort, output } = settings;
  const isZpl = kind === "labels" && format === "zpl";
  return (
    <Dialog
      title="Print"
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" isBusy={isBusy} onClick={() => onPrint(settings, kind === "labels" && onlyNew)}>
            {`Print ${kindNames[kind].toLowerCase()}`}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-2.5">
        {kinds.length > 1 && (
          <Select
            label="Document"
            value={kind}
            options={kinds.map((value) => ({ value, label: kindNames[value] }))}
            onChange={(next) => setSettings(settingsFor(next as DocumentKind))}
          />
        )}
        <div className="grid grid-cols-2 gap-2.5">
          {kind === "labels" && (
            <Select
              label="Format"
              value={format}
              options={[
                { value: "pdf", label: "PDF" },
                { value: "zpl", label: "ZPL", note: "for label printers" },
              ]}
              onChange={(next) => setSettings({ ...settings, format: next as PrintChoice["format"] })}
            />
          )}
          {!isZpl && (
            <Select
              label="Paper"
              value={paper ?? "default"}
              options={[
                { value: "default", label: "Default paper" },
                ...papers.map((value) => ({ value, label: paperNames[value] })),
              ]}
              onChange={(next) => setSettings({ ...settings, paper: papers.find((one) => one === next) })}
            />
          )}
          {!isZpl && (
            <Select
              label="Output"
              value={output}
              options={[
                { value: "dialog", label: "Print dialog" },
                { value: "file", label: "Download" },
              ]}
              onChange={(next) => setSettings({ ...settings, output: next as PrintChoice["output"] })}
            />
          )}
          <Select
            label="Sort by"
            value={sort}
            options={sortNames}
            onChange={(next) => setSettings({ ...settings, sort: next as PrintChoice["sort"] })}
          />
        </div>
        {kind === "labels" && (
          <Checkbox label="Only labels that were not printed before" isChecked={onlyNew} onChange={setOnlyNew} />
        )}
        {children}
      </div>
    </Dialog>
  );
}
