import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { hub } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { SaveForm } from "../../live/save-row.tsx";
import type { RecordForm } from "../../live/use-record-form.ts";
import { useRecordForm } from "../../live/use-record-form.ts";
import { Button } from "../../ui/button.tsx";
import { Card, Heading } from "../../ui/card.tsx";
import { errorAt } from "../../ui/field-errors.ts";
import { FileDrop } from "../../ui/file-drop.tsx";
import { Select } from "../../ui/select.tsx";
import { TextArea, TextField } from "../../ui/text-field.tsx";
import { showToast } from "../../ui/toast.tsx";
import type { DocumentKind, Paper, PrintSettings } from "./documents.queries.ts";
import { printSettingsQuery, readPrintSettings } from "./documents.queries.ts";
import { kindNames, paperNames } from "./documents.text.ts";

type Papers = Partial<Record<DocumentKind, Paper>>;
/** `logo`: the image as a data URL, or "". */
type Draft = { address: string; footer: string; papers: Papers; logo: string };
type Shown = PrintSettings & { id: string };

const names = { address: "Sender address", footer: "Footer", papers: "Default paper" } as const;
const paperLabels: Record<DocumentKind, string> = {
  labels: "Paper for labels",
  packing_slips: "Paper for packing slips",
  pick_list: "Paper for pick lists",
  manifest: "Paper for manifests",
};
const maxLogoBytes = 256 * 1024;
const papers = Object.keys(paperNames) as Paper[];
const kinds = Object.keys(kindNames) as DocumentKind[];

/** The papers that this version of the console knows. */
function papersOf(given: PrintSettings["papers"]): Papers {
  const known: Papers = {};
  for (const kind of kinds) {
    const paper = papers.find((one) => one === given[kind]);
    if (paper) known[kind] = paper;
  }
  return known;
}

const draftOf = ({ address, footer, papers: chosen, logo }: Shown): Draft => ({
  address,
  footer,
  papers: papersOf(chosen),
  logo: logo ? `data:${logo.contentType};base64,${logo.content}` : "",
});

/** Logo, texts and papers of printed documents, on the page of settings. */
export function PrintSettingsCard() {
  const { organization } = useMe();
  const { data } = useQuery(printSettingsQuery);
  return data ? <PrintSettingsForm settings={{ ...data, id: organization.id }} /> : null;
}

function PrintSettingsForm({ settings }: { settings: Shown }) {
  const form = useRecordForm<Shown, Draft>({
    kind: "print-settings",
    record: settings,
    draftOf,
    read: async (id) => ({ ...(await readPrintSettings()), id }),
    write: async ({ logo, ...change }, { id, version }) => {
      const image =
        logo === undefined ? {} : { logo: logo === "" ? null : { content: logo.slice(logo.indexOf(",") + 1) } };
      const body = { ...change, ...image };
      return { ...(await hub.call("PATCH /api/v1/documents/settings", { body, ifMatch: version })), id };
    },
    onSaved: () => showToast("Print settings saved"),
  });
  return (
    <SaveForm
      className="mt-3 max-w-3xl"
      form={form}
      names={names}
      fields={["/address", "/footer", "/papers", "/logo"]}
      reason={missingScope(useMe(), "admin")}
      save="Save print settings"
    >
      <Card className="flex flex-col gap-2.5 px-3 py-2.5" label="Printed documents">
        <Heading title="Printed documents" note="packing slips, pick lists and manifests" />
        <LogoField form={form} />
        <TextArea label="Sender address" rows={4} maxLength={500} {...form.field("address")} />
        <TextField
          label="Footer of packing slips"
          hint="One line, such as how to return an item."
          maxLength={300}
          {...form.field("footer")}
        />
        <PaperFields form={form} />
      </Card>
    </SaveForm>
  );
}

function LogoField({ form }: { form: RecordForm<Draft> }) {
  const [tooLarge, setTooLarge] = useState(false);
  const { logo } = form.draft;
  const error = tooLarge ? "The image has more than 256 KB." : errorAt(form.errors, "/logo");
  const take = async (file: File): Promise<void> => {
    setTooLarge(file.size > maxLogoBytes);
    if (file.size > maxLogoBytes) return;
    const bytes = new Uint8Array(await file.arrayBuffer());
    form.set({ logo: `data:${file.type};base64,${bytes.toBase64()}` });
  };
  return (
    <div className="flex flex-wrap items-center gap-2.5">
      {logo && <img src={logo} alt="Logo" className="h-10 max-w-40 rounded-sm bg-[#fff] object-contain p-1" />}
      <FileDrop
        label={logo ? "Replace logo" : "Add logo"}
        accept="image/png,image/jpeg"
        isSmall
        onFile={(file) => void take(file)}
      />
      {logo && (
        <Button kind="quiet" onClick={() => form.set({ logo: "" })}>
          Remove logo
        </Button>
      )}
      <span className="text-sm text-muted">PNG or JPEG, at most 256 KB and 2,000 × 2,000 pixels.</span>
      {error && (
        <p role="alert" className="w-full text-sm text-bad">
          {error}
        </p>
      )}
    </div>
  );
}

function PaperFields({ form: { draft, set } }: { form: RecordForm<Draft> }) {
  const choose = (kind: DocumentKind, paper: string): void => {
    const { [kind]: _before, ...others } = draft.papers;
    const found = papers.find((one) => one === paper);
    set({ papers: found ? { ...others, [kind]: found } : others });
  };
  return (
    <div className="grid gap-2.5 sm:grid-cols-4">
      {kinds.map((kind) => (
        <Select
          key={kind}
          label={paperLabels[kind]}
          value={draft.papers[kind] ?? (kind === "labels" ? "4x6" : "a4")}
          options={papers.map((value) => ({ value, label: paperNames[value] }))}
          onChange={(paper) => choose(kind, paper)}
        />
      ))}
    </div>
  );
}
