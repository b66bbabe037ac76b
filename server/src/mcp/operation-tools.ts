import type { JsonSchema } from "./tool-schema.ts";
import type { CallByName, ToolSpec } from "./route-tool.ts";
import { pickFields } from "./shrink-answer.ts";

type Answer = Record<string, unknown>;

/** The schemas of all actions would be half of what a model can hold; operations_actions_list has them one by one. */
const actions: JsonSchema = {
  type: "array",
  minItems: 1,
  maxItems: 25,
  description: "Steps in order. operations_actions_list has the types; with `type`, the params of one.",
  items: {
    type: "object",
    properties: {
      type: { type: "string" },
      params: { type: "object" },
      when: { type: "object", description: "Condition on the order, such as {path, op, value}" },
    },
    required: ["type"],
  },
};
const order_ids: JsonSchema = {
  type: "array",
  items: { type: "string" },
  minItems: 1,
  maxItems: 200,
  description: "Order IDs or numbers. For more orders use a filter",
};
const filter: JsonSchema = {
  type: "object",
  description: "Filters with the names and values of orders_list, such as {status: [...], tagsAny: [...]}",
};
const preflight_token: JsonSchema = {
  type: "string",
  description: "From operations_preflight, for the same orders, actions, on_error and atomic; valid for an hour",
};

const pipeline = ["actions", "pipeline_id", "on_error", "atomic"];
const runSummary = [
  "id",
  "status",
  "created_at",
  "created_by",
  "actions",
  "order_count",
  "summary",
  "retry_of",
  "undo_of",
];
/** Results that a model needs to see beside the sums. */
const shownResults = 10;

function presentRun(run: Answer): Answer {
  const results = (run.results as Answer[] | undefined) ?? [];
  const unsuccessful = results.filter(({ status }) => status !== "succeeded");
  const isOver = run.finished_at !== null;
  return {
    ...(pickFields(run, [
      ...runSummary,
      "errors_by_code",
      "labels",
      "task_summary",
      "undone_by",
      "retried_by",
    ]) as Answer),
    unsuccessful: unsuccessful
      .slice(0, shownResults)
      .map((result) => pickFields(result, ["ref", "order_id", "status", "error"])),
    next: isOver
      ? "operations_runs_undo with this id takes the run back."
      : "The run goes on in the background: operations_runs_get with this id shows its progress.",
  };
}

function presentPreflight({ orders, ...report }: Answer): Answer {
  const named = "operations_run with the same order_ids, actions and options, and preflight_token";
  const selected =
    "operations_run with selection_id (instead of the filter), the same actions and options, and preflight_token";
  return {
    ...(pickFields(report, ["verdict", "summary", "errors_by_code", "groups", "pipeline", "selection_id"]) as Answer),
    orders: (orders as Answer[]).map((order) => pickFields(order, ["ref", "order_id", "verdict", "error", "steps"])),
    ...(pickFields(report, ["preflight_token", "expires_at"]) as Answer),
    next: `Nothing has changed yet. Show the summary to the user; if they agree, call ${report.selection_id === null ? named : selected}.`,
  };
}

/** Without `type`: what there is. With it: all about one. */
function presentActions({ data }: Answer, type: unknown): unknown {
  const all = data as Answer[];
  const found = all.filter((action) => type === undefined || action.type === type);
  if (type === undefined)
    return { actions: all.map((action) => pickFields(action, ["type", "title", "group", "reversible", "available"])) };
  return found.length > 0 ? { actions: found } : { actions: [], types: all.map((action) => action.type) };
}

async function describeRun(call: CallByName, id: unknown): Promise<Answer> {
  const run = await call("operations.runs.get", { id, results_limit: 0 });
  return pickFields(run, [...runSummary, "errors_by_code", "labels"]) as Answer;
}

export const operationTools: ToolSpec[] = [
  {
    route: "operations.actions.list",
    description:
      "Lists the actions that can be run on orders. With `type`: description, params and example of one. With `order_id`: whether " +
      "each is possible for that order.",
    schemas: { type: { type: "string", description: "Type of one action, such as add_tags" } },
    present: (answer, { type }) => presentActions(answer, type),
  },
  {
    route: "operations.pipelines.list",
    description: "Lists saved pipelines: named lists of actions, for pipeline_id.",
    keeps: ["id", "name", "description", "actions"],
  },
  {
    route: "operations.preflight",
    description:
      "Shows what actions would do to orders, and changes nothing. Required before operations_run. Orders are given by exactly one of " +
      "order_ids, filter and selection_id.",
    takes: ["order_ids", "filter", "selection_id", ...pipeline],
    schemas: { actions, order_ids, filter },
    sends: { detail_limit: shownResults },
    present: presentPreflight,
  },
  {
    route: "operations.run",
    description:
      "Runs actions on orders, exactly as a preflight showed. Rejected with orders_drifted if an order changed since. The answer says " +
      "how to undo the run.",
    takes: ["order_ids", "selection_id", ...pipeline, "preflight_token", "exclude_codes", "note"],
    schemas: { actions, order_ids, preflight_token },
    sends: { on_drift: "reject" },
    isPreflighted: true,
    isDestructive: true,
    present: presentRun,
  },
  {
    route: "operations.runs.list",
    description: "Lists runs of actions, newest first, with their sums.",
    takes: ["status", "action_type", "order_id", "from", "to", "page", "limit"],
    keeps: runSummary,
  },
  {
    route: "operations.runs.get",
    description: "Gets one run: status, sums, errors by code and the first unsuccessful orders.",
    takes: ["id"],
    present: presentRun,
  },
  {
    route: "operations.runs.undo",
    description:
      "Takes back the changes of a run. The first call shows which steps can be undone, and why others cannot.",
    present: presentRun,
    preview: async (call, { id }) => {
      const report = await call("operations.runs.undo.preflight", { id });
      return { effect: { run: await describeRun(call, id), ...(pickFields(report, ["summary", "groups"]) as Answer) } };
    },
  },
  {
    route: "operations.runs.retry",
    description: "Runs the failed orders of a run again, optionally only those that failed with certain codes.",
    isDestructive: true,
    present: presentRun,
    preview: async (call, { id, codes }) => {
      const groups = await call("operations.runs.resultGroups.list", { id });
      return { effect: { run: await describeRun(call, id), only_codes: codes, groups: groups.data } };
    },
  },
  {
    route: "operations.runs.cancel",
    description: "Cancels a run that is not finished. Orders that were processed stay changed.",
    present: presentRun,
    preview: async (call, { id }) => ({ effect: { run: await describeRun(call, id) } }),
  },
];
