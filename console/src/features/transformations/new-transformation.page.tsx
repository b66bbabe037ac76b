import { HubApiError } from "@order-operations-hub/sdk/problem";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { paths } from "../../app/paths.ts";
import { hub, queryClient } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Card, Empty } from "../../ui/card.tsx";
import { errorAt, fieldErrors } from "../../ui/field-errors.ts";
import { Link } from "../../ui/link.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import { Select } from "../../ui/select.tsx";
import { Switch } from "../../ui/switch.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { showToast } from "../../ui/toast.tsx";
import { useSessionState } from "../../ui/use-session-state.ts";
import { bridgeTasksQuery } from "../bridges/bridges.queries.ts";
import { useEntityNames } from "../pick/entity-names.queries.ts";
import { MappingEditor } from "./mapping-editor.tsx";
import type { Mapping, Row } from "./mapping.ts";
import { toMappings, toRows } from "./mapping.ts";

type Draft = { name: string; isActive: boolean; mappings: Mapping[] };

/** Creates a field mapping: choose connection and task, then edit rows against a sample. */
export function NewTransformationPage() {
  const { search, set } = useSearchParams();
  const { data: bridges } = useEntityNames("bridge");
  const bridgeId = oneOf(search["bridgeId"]) ?? (bridges?.length === 1 ? bridges[0]!.id : "");
  const { data: tasks } = useQuery(bridgeTasksQuery(bridgeId));
  const usable = tasks?.filter(({ name }) => name !== "connection.test");
  const taskName =
    oneOf(search["taskName"]) ?? (usable?.some(({ name }) => name === "orders.import") ? "orders.import" : "");
  const task = usable?.find(({ name }) => name === taskName);
  const asked = oneOf(search["direction"]);
  const direction = asked === "outbound" || (asked !== "inbound" && task?.mode === "push") ? "outbound" : "inbound";
  if (bridges?.length === 0) {
    return (
      <>
        <PageHead title="New field mapping" />
        <Card>
          <Empty text="A field mapping belongs to a connection, and there is none yet.">
            <Link href={paths.newBridge()} className={buttonClass("primary")}>
              Add connection
            </Link>
          </Empty>
        </Card>
      </>
    );
  }
  return (
    <>
      <PageHead above={{ href: paths.transformations(), name: "Field mappings" }} title="New field mapping" />
      <Card className="mb-3.5 grid shrink-0 items-start gap-2.5 px-3.5 py-3 sm:grid-cols-3" label="Task">
        <Select
          label="Connection"
          value={bridgeId}
          options={(bridges ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(next) => set({ bridgeId: next, taskName: undefined, direction: undefined }, "replace")}
        />
        <Select
          label="Task"
          value={taskName}
          placeholder={bridgeId === "" ? "Choose a connection first" : "Choose"}
          options={(usable ?? []).map(({ name, title }) => ({ value: name, label: title, note: name }))}
          onChange={(next) => set({ taskName: next, direction: undefined }, "replace")}
        />
        <Select
          label="Direction"
          value={direction}
          options={[
            { value: "inbound", label: "Inbound: data that the task reads" },
            { value: "outbound", label: "Outbound: data that the task sends" },
          ]}
          onChange={(next) => set({ direction: next }, "replace")}
        />
      </Card>
      {task && (
        <Begun
          key={`${bridgeId} ${taskName} ${direction}`}
          slot={{ bridgeId, taskName, direction, mode: task.mode }}
          title={`${bridges?.find(({ id }) => id === bridgeId)?.name ?? ""}: ${task.title.toLowerCase()}`}
        />
      )}
    </>
  );
}

type BegunProps = {
  slot: { bridgeId: string; taskName: string; direction: "inbound" | "outbound"; mode: string };
  title: string;
};

function Begun({ slot, title }: BegunProps) {
  const { bridgeId, taskName, direction } = slot;
  const router = useRouter();
  const refused = missingScope(useMe(), "transformations:write");
  const [kept, keep] = useSessionState<Draft>(`ooh-mapping-new-${bridgeId}-${taskName}-${direction}`);
  const draft = kept ?? { name: title, isActive: true, mappings: [] };
  const [rows, setRows] = useState<Row[]>(() => toRows(draft.mappings));
  const change = (next: Row[]): void => {
    setRows(next);
    keep({ ...draft, mappings: toMappings(next) });
  };
  // An incomplete mapping is not activated by the first save.
  const [wrong, setWrong] = useState<string>();
  const isActive = draft.isActive && wrong === undefined;
  const create = useMutation({
    mutationFn: (replace: boolean) =>
      hub.call("POST /api/v1/transformations", {
        query: replace ? { replace } : {},
        body: {
          name: draft.name.trim(),
          bridgeId,
          taskName,
          direction,
          isActive,
          mappings: toMappings(rows),
        },
      }),
    onSuccess: async ({ id, name }) => {
      keep(undefined);
      await queryClient.invalidateQueries({ queryKey: ["transformations"] });
      showToast(`${name} saved`);
      router.history.push(paths.transformation(id));
    },
  });
  const errors = fieldErrors(create.error);
  return (
    <>
      <div className="mb-3.5 flex flex-wrap items-end gap-3">
        <div className="min-w-56 flex-1 sm:max-w-md">
          <TextField
            label="Name"
            value={draft.name}
            error={errorAt(errors, "/name")}
            onChange={(name) => keep({ ...draft, name })}
          />
        </div>
        <Switch
          label="Active"
          isOn={isActive}
          disabledReason={wrong}
          onChange={(isOn) => keep({ ...draft, isActive: isOn })}
        />
        <Button
          kind="primary"
          isBusy={create.isPending}
          disabledReason={refused ?? (draft.name.trim() === "" && "Enter a name.")}
          onClick={() => create.mutate(false)}
        >
          {isActive ? "Save and activate" : "Save as draft"}
        </Button>
      </div>
      {create.error && (
        <div className="mb-3">
          <ProblemBox error={create.error}>
            {isTaken(create.error) && <Button onClick={() => create.mutate(true)}>Replace the active mapping</Button>}
          </ProblemBox>
        </div>
      )}
      <MappingEditor
        slot={slot}
        rows={rows}
        onChange={change}
        isReadOnly={refused !== undefined}
        onVerdict={setWrong}
      />
    </>
  );
}

const isTaken = (error: unknown): boolean =>
  error instanceof HubApiError && error.code === "active_transformation_exists";
