import type { Transformation } from "@order-operations-hub/sdk/api-types";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { paths } from "../../app/paths.ts";
import { hub, queryClient } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { Button } from "../../ui/button.tsx";
import { plural, words } from "../../ui/format.ts";
import { Link } from "../../ui/link.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { SearchSelect } from "../../ui/search-select.tsx";
import { showToast } from "../../ui/toast.tsx";
import { targetsQuery } from "../transformations/transformations.queries.ts";
import type { Exception } from "./exceptions.queries.ts";
import { resolveAll } from "./exceptions.queries.ts";
import type { LookupMiss } from "./lookup-miss.ts";
import { withEntry } from "./lookup-miss.ts";

type Props = { exception: Exception; mapping: Transformation; misses: readonly LookupMiss[] };

/** Leads to the mapping that rejected the record, and adds the missing entry to its table. */
export function MappingFix({ exception, mapping, misses }: Props) {
  const [first] = misses;
  return (
    <section aria-label="Field mapping" className="flex flex-col gap-2 rounded-lg border border-line px-3 py-2">
      <p>
        The record was converted by the field mapping{" "}
        <Link href={paths.transformation(mapping.id)} className="text-accent-text underline underline-offset-2">
          {mapping.name}
        </Link>
        .
      </p>
      {first && <AddEntry key={first.row} exception={exception} mapping={mapping} miss={first} />}
    </section>
  );
}

function AddEntry({ exception, mapping, miss }: { exception: Exception; mapping: Transformation; miss: LookupMiss }) {
  const me = useMe();
  const [to, setTo] = useState("");
  const bridgeId = exception.bridgeId!;
  const taskName = exception.taskName!;
  const { data: targets } = useQuery(targetsQuery({ bridgeId, taskName, direction: "inbound" }));
  const field = targets?.fields.find(({ path }) => path === miss.target);
  const known = [...Object.values(miss.entries), ...(field?.values ?? [])].filter((one) => typeof one === "string");
  const cause = { kind: exception.kind, code: exception.code, bridgeId, taskName };
  const add = useMutation({
    mutationFn: async () => {
      await hub.call("PATCH /api/v1/transformations/{id}", {
        path: { id: mapping.id },
        ifMatch: mapping.version,
        body: { mappings: withEntry(mapping, miss, to) },
      });
      return await resolveAll({ action: "retry", filter: cause });
    },
    onSuccess: ({ done, failed }) => {
      const left = failed.length > 0 && `${plural(failed.length, "exception stays", "exceptions stay")} open.`;
      showToast(`Entry added, ${plural(done, "exception")} resolved`, left ? { text: left } : {});
    },
    // The entry may be saved although the retry failed.
    onSettled: async () => {
      await queryClient.invalidateQueries({ queryKey: ["transformations"] });
      await queryClient.invalidateQueries({ queryKey: ["exceptions"] });
    },
  });
  const reason =
    missingScope(me, "transformations:write") ??
    missingScope(me, "exceptions:write") ??
    missingScope(me, "tasks:execute") ??
    (to === "" ? "Choose a value first." : undefined);
  return (
    <form
      aria-label="Add to the mapping"
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (!reason && !add.isPending) add.mutate();
      }}
    >
      <p>
        Its table for {words(miss.target)} has no entry for <b>“{miss.value}”</b>. Add the entry and import all records
        that wait for it.
      </p>
      <SearchSelect
        label={`${miss.value} becomes`}
        value={to}
        options={[...new Set(known)].map((value) => ({ value, label: words(value) }))}
        placeholder={`Choose the ${words(miss.target)}`}
        // Fields with a fixed list of values accept no other.
        {...(field?.values ? {} : { optionFor: (typed: string) => ({ value: typed, label: typed }) })}
        onChange={setTo}
      />
      {add.error && <ProblemBox error={add.error} />}
      <div>
        <Button kind="primary" type="submit" isBusy={add.isPending} disabledReason={reason}>
          Add “{miss.value}” and retry
        </Button>
      </div>
    </form>
  );
}
