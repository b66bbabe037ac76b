import { useMutation, useQuery } from "@tanstack/react-query";
import { useParams, useRouter } from "@tanstack/react-router";
import { paths } from "../../app/paths.ts";
import { hub, queryClient } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { SaveForm } from "../../live/save-row.tsx";
import { useRecordForm } from "../../live/use-record-form.ts";
import { IconButton } from "../../ui/button.tsx";
import { Card, Empty, Heading } from "../../ui/card.tsx";
import { ConfirmButton } from "../../ui/confirm.tsx";
import { formatCount, plural, words } from "../../ui/format.ts";
import { Icon } from "../../ui/icons.tsx";
import { ListCard, usePage } from "../../ui/list-card.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { RecordPage } from "../../ui/record-page.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import type { ListColumn } from "../../ui/table.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { showToast } from "../../ui/toast.tsx";
import type { ConditionSet } from "./condition-sets.queries.ts";
import { conditionSetQuery, readConditionSet, valuesQuery } from "./condition-sets.queries.ts";
import { matchingWords } from "./condition-sets.text.ts";
import { PasteValues } from "./paste-values.tsx";

const above = { href: paths.conditionSets(), name: "Value lists" };

export function ConditionSetPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  return (
    <RecordPage above={above} query={useQuery(conditionSetQuery(id))}>
      {(set) => <ConditionSetView set={set} key={id} />}
    </RecordPage>
  );
}

function ConditionSetView({ set }: { set: ConditionSet }) {
  const router = useRouter();
  const path = { id: set.id };
  const refused = missingScope(useMe(), "condition_sets:write");
  const inUse = set.usedBy.length > 0 && `In use by ${set.usedBy.map(({ name }) => name).join(", ")}.`;
  return (
    <>
      <PageHead
        above={above}
        title={set.name}
        note={`${plural(set.valueCount, "value")}, ${(matchingWords[set.matching] ?? "").toLowerCase()}`}
      >
        <ConfirmButton
          label="Remove all values"
          kind="plain"
          isDangerous
          title={`Remove all ${formatCount(set.valueCount)} values?`}
          yes="Remove all values"
          disabledReason={refused ?? (set.valueCount === 0 && "The list is empty.")}
          run={async () => {
            await hub.call("DELETE /api/v1/condition-sets/{id}/values/all", { path });
            showToast("All values removed");
            await queryClient.invalidateQueries({ queryKey: ["condition-sets"] });
          }}
        >
          <p>Conditions that use this list match nothing afterwards. This cannot be undone.</p>
        </ConfirmButton>
        <ConfirmButton
          label="Delete"
          title={`Delete ${set.name}?`}
          yes="Delete"
          disabledReason={refused ?? inUse}
          run={async () => {
            await hub.call("DELETE /api/v1/condition-sets/{id}", { path });
            showToast(`${set.name} deleted`);
            router.history.push(paths.conditionSets());
            await queryClient.invalidateQueries({ queryKey: ["condition-sets"], refetchType: "none" });
          }}
        >
          <p>Deletes the set and its {plural(set.valueCount, "value")}. This cannot be undone.</p>
        </ConfirmButton>
      </PageHead>
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-3.5 lg:grid-cols-2">
        <Values set={set} refused={refused} />
        <div className="flex flex-col gap-3.5">
          <Card className="px-3 py-2.5" label="Add values">
            <Heading title="Add values" />
            <PasteValues set={set} refused={refused} />
          </Card>
          <Card className="px-3 py-2.5" label="About it">
            <SetForm set={set} refused={refused} />
            {set.usedBy.length > 0 && (
              <p className="mt-2 text-muted">
                Used by {set.usedBy.map(({ type, name }) => `${words(type)} ${name}`).join(", ")}.
              </p>
            )}
          </Card>
        </div>
      </div>
    </>
  );
}

const valueColumns = (refused: string | undefined, onRemove: (value: string) => void): Array<ListColumn<string>> => [
  { name: "Value", className: "w-full max-w-0 truncate font-mono text-sm", cell: (value) => value },
  {
    name: "",
    isNumber: true,
    cell: (value) =>
      refused ? null : (
        <IconButton label={`Remove ${value}`} onClick={() => onRemove(value)}>
          <Icon name="trash" />
        </IconButton>
      ),
  },
];

function Values({ set, refused }: { set: ConditionSet; refused: string | undefined }) {
  const { search } = useSearchParams();
  const text = oneOf(search["search"]) ?? "";
  const values = useQuery(valuesQuery(set.id, text, usePage()));
  const remove = useMutation({
    mutationFn: (value: string) =>
      hub.call("POST /api/v1/condition-sets/{id}/values/remove", { path: { id: set.id }, body: { values: [value] } }),
    onSuccess: async (_, value) => {
      await queryClient.invalidateQueries({ queryKey: ["condition-sets"] });
      showToast(`${value} removed`);
    },
  });
  return (
    <div className="flex flex-col gap-2">
      <SearchBox label="Search values" />
      {remove.error && <ProblemBox error={remove.error} />}
      <ListCard
        label="Values"
        query={values}
        idOf={(value) => value}
        columns={valueColumns(refused, (value) => remove.mutate(value))}
        empty={
          <Empty text={text ? `No value contains “${text}”.` : "No values yet. Paste a column from a spreadsheet."} />
        }
      />
    </div>
  );
}

function SetForm({ set, refused }: { set: ConditionSet; refused: string | undefined }) {
  const form = useRecordForm({
    kind: "condition-sets",
    record: set,
    draftOf: ({ name, description }: ConditionSet) => ({ name, description }),
    read: readConditionSet,
    write: (body, { id, version }) =>
      hub.call("PATCH /api/v1/condition-sets/{id}", { path: { id }, body, ifMatch: version }),
  });
  return (
    <SaveForm form={form} names={{ name: "Name", description: "Description" }} reason={refused}>
      <TextField label="Name" {...form.field("name")} maxLength={100} />
      <TextField label="Description" {...form.field("description")} maxLength={500} />
    </SaveForm>
  );
}
