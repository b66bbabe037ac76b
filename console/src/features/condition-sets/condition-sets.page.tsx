import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { paths } from "../../app/paths.ts";
import { hub } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { useCreateForm } from "../../live/use-create-form.ts";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/card.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { formatCount, plural } from "../../ui/format.ts";
import { RecordLink } from "../../ui/link.tsx";
import { ListCard, usePage } from "../../ui/list-card.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import { Select } from "../../ui/select.tsx";
import type { ListColumn } from "../../ui/table.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { Time } from "../../ui/zone.tsx";
import type { ConditionSet } from "./condition-sets.queries.ts";
import { conditionSetsQuery } from "./condition-sets.queries.ts";
import { matchingOptions, matchingWords } from "./condition-sets.text.ts";

const columns: Array<ListColumn<ConditionSet>> = [
  {
    name: "Name",
    className: "max-w-64 truncate",
    cell: (set) => (
      <RecordLink href={paths.conditionSet(set.id)} className="font-medium">
        {set.name}
      </RecordLink>
    ),
  },
  {
    name: "Description",
    className: "w-1/2 max-w-0 min-w-48 truncate text-muted",
    cell: (set) => set.description || "–",
  },
  { name: "Values", isNumber: true, cell: (set) => formatCount(set.valueCount) },
  {
    name: "Case",
    className: "whitespace-nowrap text-muted",
    cell: (set) => matchingWords[set.matching] ?? set.matching,
  },
  {
    name: "Used by",
    className: "whitespace-nowrap text-muted",
    cell: (set) =>
      set.usedBy.length === 0 ? (
        "Not used"
      ) : (
        <span title={set.usedBy.map(({ name }) => name).join(", ")}>{plural(set.usedBy.length, "place")}</span>
      ),
  },
  { name: "Changed", className: "whitespace-nowrap text-muted", cell: (set) => <Time at={set.updatedAt} /> },
];

/** Lists of values that conditions test against, such as ZIP codes, SKUs or customers. */
export function ConditionSetsPage() {
  const { search } = useSearchParams();
  const text = oneOf(search["search"]) ?? "";
  const sets = useQuery(conditionSetsQuery(text, usePage()));
  const [isMaking, setMaking] = useState(false);
  const refused = missingScope(useMe(), "condition_sets:write");
  return (
    <>
      <PageHead title="Value lists" note="Used by conditions and rate cards">
        <Button kind="primary" disabledReason={refused} onClick={() => setMaking(true)}>
          New value list
        </Button>
      </PageHead>
      <div className="mb-2.5 max-w-72">
        <SearchBox label="Search value lists" />
      </div>
      <ListCard
        label="Value lists"
        query={sets}
        columns={columns}
        idOf={(set) => set.id}
        empty={
          text ? (
            <Empty text={`No value list has “${text}” in its name.`} />
          ) : (
            <Empty
              icon="list"
              title="No value lists yet"
              text="A value list holds values such as remote ZIP codes. Conditions and rate cards check whether a value is in it."
            >
              <Button kind="primary" disabledReason={refused} onClick={() => setMaking(true)}>
                New value list
              </Button>
            </Empty>
          )
        }
      />
      {isMaking && <NewSet onClose={() => setMaking(false)} />}
    </>
  );
}

function NewSet({ onClose }: { onClose(): void }) {
  const router = useRouter();
  const form = useCreateForm({
    start: { name: "", description: "", matching: "case_insensitive" as "case_insensitive" | "exact" },
    create: ({ name, description, matching }) =>
      hub.call("POST /api/v1/condition-sets", {
        body: { name: name.trim(), description: description.trim(), matching },
      }),
    refetch: ["condition-sets"],
    onCreated: (set) => router.history.push(paths.conditionSet(set.id)),
  });
  return (
    <FormDialog
      title="New value list"
      submit="Create value list"
      reason={!form.draft.name.trim() && "Enter a name."}
      form={form}
      onClose={onClose}
    >
      <TextField
        label="Name"
        hint="Shown in conditions, for example Remote ZIP codes."
        {...form.field("name")}
        maxLength={100}
      />
      <TextField label="Description (optional)" {...form.field("description")} maxLength={500} />
      <Select label="Upper and lower case" {...form.field("matching")} options={matchingOptions} />
    </FormDialog>
  );
}
