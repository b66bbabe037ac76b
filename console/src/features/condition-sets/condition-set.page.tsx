import { useMutation, useQuery } from "@tanstack/react-query";
import { useParams, useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { paths } from "../../app/paths.ts";
import { hub, queryClient } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { SaveRow } from "../../live/save-row.tsx";
import { useRecordForm } from "../../live/use-record-form.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Card, Empty, Heading, Skeleton } from "../../ui/card.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { formatCount, plural, words } from "../../ui/format.ts";
import { Icon } from "../../ui/icons.tsx";
import { Link } from "../../ui/link.tsx";
import type { ListColumn } from "../../ui/list-card.tsx";
import { ListCard, usePage } from "../../ui/list-card.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import { TextField } from "../../ui/text-field.tsx";
import { tell } from "../../ui/toast.tsx";
import type { ConditionSet } from "./condition-sets.queries.ts";
import { conditionSetQuery, readConditionSet, valuesQuery } from "./condition-sets.queries.ts";
import { matchingWords } from "./condition-sets.text.ts";
import { PasteValues } from "./paste-values.tsx";

export function ConditionSetPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { data: set, error } = useQuery(conditionSetQuery(id));
  const refused = missingScope(useMe(), "condition_sets:write");
  const [dropping, setDropping] = useState<"set" | "values">();
  if (error && !set) {
    return (
      <>
        <PageHead title="Condition set" />
        <ProblemBox error={error} />
      </>
    );
  }
  if (!set) return <Skeleton rows={10} />;
  const inUse = set.usedBy.length > 0 && `It is used by ${set.usedBy.map(({ name }) => name).join(", ")}.`;
  return (
    <>
      <PageHead
        title={
          <>
            <Link href={paths.conditionSets()} className="text-muted hover:underline">
              Condition sets
            </Link>
            <span aria-hidden className="text-faint">
              /
            </span>
            <span className="truncate">{set.name}</span>
          </>
        }
        note={`${plural(set.valueCount, "value")}, ${matchingWords[set.matching] ?? ""}`}
      >
        <Button
          disabledReason={refused ?? (set.valueCount === 0 && "It is empty.")}
          onClick={() => setDropping("values")}
        >
          Empty it
        </Button>
        <Button kind="danger" disabledReason={refused ?? inUse} onClick={() => setDropping("set")}>
          Delete
        </Button>
      </PageHead>
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-3.5 lg:grid-cols-2">
        <Values set={set} refused={refused} />
        <div className="flex flex-col gap-3.5">
          <Card className="px-3 py-2.5" label="Add values">
            <Heading title="Add values" />
            <PasteValues set={set} refused={refused} />
          </Card>
          <Card className="px-3 py-2.5" label="About it">
            <SetForm key={set.id} set={set} refused={refused} />
            {set.usedBy.length > 0 && (
              <p className="mt-2 text-muted">
                Used by {set.usedBy.map(({ type, name }) => `${words(type)} ${name}`).join(", ")}.
              </p>
            )}
          </Card>
        </div>
      </div>
      {dropping && <Drop what={dropping} set={set} onClose={() => setDropping(undefined)} />}
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
      tell(`${value} removed`);
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
          <Empty
            text={text ? `No value contains “${text}”.` : "No value yet. Paste a column of a sheet beside this."}
          />
        }
      />
    </div>
  );
}

function SetForm({ set, refused }: { set: ConditionSet; refused: string | undefined }) {
  const form = useRecordForm({
    record: set,
    draftOf: ({ name, description }: ConditionSet) => ({ name, description }),
    read: () => readConditionSet(set.id),
    write: (body, { version }) =>
      hub.call("PATCH /api/v1/condition-sets/{id}", { path: { id: set.id }, body, ifMatch: version }),
    onSaved: async () => {
      await queryClient.invalidateQueries({ queryKey: ["condition-sets"] });
      tell("Saved");
    },
  });
  const { draft, errors } = form;
  return (
    <form className="flex flex-col gap-2.5" onSubmit={form.submit}>
      <TextField
        label="Name"
        error={errors.get("/name")}
        value={draft.name}
        onChange={(name) => form.set({ name })}
        maxLength={100}
      />
      <TextField
        label="What it is"
        error={errors.get("/description")}
        value={draft.description}
        onChange={(description) => form.set({ description })}
        maxLength={500}
      />
      <SaveRow
        form={form}
        names={{ name: "Name", description: "What it is" }}
        fields={["/name", "/description"]}
        reason={refused}
      />
    </form>
  );
}

function Drop({ what, set, onClose }: { what: "set" | "values"; set: ConditionSet; onClose(): void }) {
  const router = useRouter();
  const isSet = what === "set";
  const drop = useMutation({
    mutationFn: async () => {
      const path = { id: set.id };
      if (isSet) await hub.call("DELETE /api/v1/condition-sets/{id}", { path });
      else await hub.call("DELETE /api/v1/condition-sets/{id}/values/all", { path });
    },
    onSuccess: async () => {
      tell(isSet ? `${set.name} is deleted` : `${set.name} is empty`);
      onClose();
      if (isSet) router.history.push(paths.conditionSets());
      await queryClient.invalidateQueries({ queryKey: ["condition-sets"], ...(isSet ? { refetchType: "none" } : {}) });
    },
  });
  return (
    <Confirm
      title={isSet ? `Delete ${set.name}?` : `Remove all ${formatCount(set.valueCount)} values?`}
      yes={isSet ? "Delete" : "Remove them"}
      isBusy={drop.isPending}
      onYes={() => drop.mutate()}
      onClose={onClose}
    >
      <p>
        {isSet ? "Its values go with it." : "Conditions that ask for it find nothing in it then."} This cannot be taken
        back.
      </p>
      {drop.error && <ProblemBox error={drop.error} />}
    </Confirm>
  );
}
