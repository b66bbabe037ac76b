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
    name: "What it is",
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
        "nothing yet"
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
      <PageHead title="Condition sets" note="lists that conditions and rate cards ask for">
        <Button kind="primary" disabledReason={refused} onClick={() => setMaking(true)}>
          New set
        </Button>
      </PageHead>
      <div className="mb-2.5 max-w-72">
        <SearchBox label="Search condition sets" />
      </div>
      <ListCard
        label="Condition sets"
        query={sets}
        columns={columns}
        idOf={(set) => set.id}
        empty={
          <Empty
            text={
              text
                ? `No set has “${text}” in its name.`
                : "No set yet. A set is a list, such as ZIP codes that take a day longer; pipelines and rate cards ask whether something is in it."
            }
          >
            <Button disabledReason={refused} onClick={() => setMaking(true)}>
              New set
            </Button>
          </Empty>
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
      title="New condition set"
      submit="Make the set"
      reason={!form.draft.name.trim() && "Give it a name."}
      form={form}
      onClose={onClose}
    >
      <TextField label="Name" hint="Conditions name it, such as Remote ZIPs." {...form.field("name")} maxLength={100} />
      <TextField label="What it is (optional)" {...form.field("description")} maxLength={500} />
      <Select label="Upper and lower case" {...form.field("matching")} options={matchingOptions} />
    </FormDialog>
  );
}
