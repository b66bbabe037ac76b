import type { Transformation } from "@order-operations-hub/sdk/api-types";
import { HubApiError } from "@order-operations-hub/sdk/problem";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { hub, queryClient } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { Button } from "../../ui/button.tsx";
import { ConflictBox, isConflict } from "../../ui/conflict-box.tsx";
import { DiffView } from "../../ui/diff-view.tsx";
import { errorAt, fieldErrors } from "../../ui/field-errors.ts";
import { plural } from "../../ui/format.ts";
import { useHotkeys } from "../../ui/hotkeys.ts";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { Switch } from "../../ui/switch.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { showToast } from "../../ui/toast.tsx";
import { useSessionState } from "../../ui/use-session-state.ts";
import { bridgeTasksQuery } from "../bridges/bridges.queries.ts";
import { MappingEditor } from "./mapping-editor.tsx";
import type { Mapping, Row } from "./mapping.ts";
import { mappingText, toMappings, toRows } from "./mapping.ts";
import { transformationQuery } from "./transformations.queries.ts";

/** `version`: the version that was edited. */
type Draft = { version: number; name: string; isActive: boolean; mappings: Mapping[] };

const draftOf = ({ version, name, isActive, mappings }: Transformation): Draft => ({
  version,
  name,
  isActive,
  mappings,
});

export function SavedMapping({ transformation }: { transformation: Transformation }) {
  const { id, bridgeId, taskName, direction } = transformation;
  const refused = missingScope(useMe(), "transformations:write");
  const { data: tasks } = useQuery(bridgeTasksQuery(bridgeId));
  const [kept, keep] = useSessionState<Draft>(`ooh-mapping-${id}`);
  const draft = kept ?? draftOf(transformation);
  const [rows, setRows] = useState<Row[]>(() => toRows(draft.mappings));
  const [incomplete, setIncomplete] = useState<string>();
  const put = (change: Partial<Draft>): void => keep({ ...draft, ...change });
  const take = (now: Transformation): void => {
    queryClient.setQueryData(transformationQuery(id).queryKey, now);
    keep(undefined);
    setRows(toRows(now.mappings));
  };
  const save = useMutation({
    mutationFn: ({ version, replace }: { version: number; replace?: boolean }) =>
      hub.call("PATCH /api/v1/transformations/{id}", {
        path: { id },
        query: replace ? { replace } : {},
        ifMatch: version,
        body: { name: draft.name.trim(), isActive: draft.isActive, mappings: draft.mappings },
      }),
    onSuccess: (saved) => {
      take(saved);
      void queryClient.invalidateQueries({ queryKey: ["transformations"] });
      showToast(`Saved as version ${saved.version}`);
    },
    onError: (error) =>
      isConflict(error) && void queryClient.invalidateQueries({ queryKey: ["transformations", "one"] }),
  });
  const isChanged = kept !== undefined && textOfDraft(kept) !== textOfDraft(draftOf(transformation));
  // The hub refuses changed mappings that are active and not complete.
  const isRefused = incomplete !== undefined && draft.isActive && textOfRows(draft) !== textOfRows(transformation);
  const blocked =
    (!isChanged && "Nothing has changed.") || (isRefused && `${incomplete} Turn Active off to save a draft.`);
  const submit = (): void => void (!refused && !blocked && save.mutate({ version: draft.version }));
  useHotkeys([{ keys: "$mod+Enter", name: "Save the field mapping", run: submit }]);
  const putBack = (): void => {
    take(transformation);
    save.reset();
  };
  const mode = tasks?.find(({ name }) => name === taskName)?.mode ?? "call";
  return (
    <>
      {refused ? (
        <p className="mb-3 text-muted">{refused}</p>
      ) : (
        <div className="mb-3.5 flex flex-wrap items-end gap-3">
          <div className="min-w-56 flex-1 sm:max-w-md">
            <TextField
              label="Name"
              value={draft.name}
              error={errorAt(fieldErrors(save.error), "/name")}
              onChange={(name) => put({ name })}
            />
          </div>
          <Switch
            label="Active"
            isOn={draft.isActive}
            disabledReason={draft.isActive ? undefined : incomplete}
            onChange={(isActive) => put({ isActive })}
          />
          <Button kind="primary" keys="$mod+Enter" isBusy={save.isPending} disabledReason={blocked} onClick={submit}>
            Save
          </Button>
          {isChanged && (
            <Button kind="quiet" onClick={putBack}>
              Discard changes
            </Button>
          )}
        </div>
      )}
      {isConflict(save.error) && transformation.version !== draft.version && (
        <Conflict
          mine={draft}
          theirs={transformation}
          isBusy={save.isPending}
          onTakeTheirs={putBack}
          onKeepMine={() => save.mutate({ version: transformation.version })}
        />
      )}
      {save.error && !isConflict(save.error) && (
        <div className="mb-3">
          <ProblemBox error={save.error}>
            {save.error instanceof HubApiError && save.error.code === "active_transformation_exists" && (
              <Button onClick={() => save.mutate({ version: draft.version, replace: true })}>
                Replace the active mapping
              </Button>
            )}
          </ProblemBox>
        </div>
      )}
      <MappingEditor
        slot={{ bridgeId, taskName, direction: direction === "outbound" ? "outbound" : "inbound", mode }}
        rows={rows}
        onChange={(next) => {
          setRows(next);
          put({ mappings: toMappings(next) });
        }}
        isReadOnly={refused !== undefined}
        isExtending={transformation.mode === "extend"}
        onVerdict={setIncomplete}
      />
    </>
  );
}

const textOfRows = ({ isActive, mappings }: Pick<Draft, "isActive" | "mappings">): string =>
  JSON.stringify([isActive, mappings]);

const textOfDraft = ({ name, isActive, mappings }: Draft): string => JSON.stringify([name.trim(), isActive, mappings]);

type ConflictProps = {
  mine: Draft;
  theirs: Transformation;
  isBusy: boolean;
  onTakeTheirs(): void;
  onKeepMine(): void;
};

function Conflict({ mine, theirs, ...rest }: ConflictProps) {
  const [my, their] = [mappingText(mine.mappings), mappingText(theirs.mappings)];
  return (
    <div className="mb-3 flex flex-col gap-2">
      <ConflictBox
        fields={[
          { name: "Name", mine: mine.name, theirs: theirs.name },
          { name: "Active", mine: mine.isActive ? "yes" : "no", theirs: theirs.isActive ? "yes" : "no" },
          ...(my === their
            ? []
            : [
                {
                  name: "Rows",
                  mine: `${plural(mine.mappings.length, "row")}, below with +`,
                  theirs: `${plural(theirs.mappings.length, "row")}, below with −`,
                },
              ]),
        ]}
        {...rest}
      />
      {my !== their && <DiffView label="Theirs and mine" before={their} after={my} />}
    </div>
  );
}
