import { nearestName } from "../../../server/src/core/nearest.ts";
import type { Hub, OperationRun, OrderFilter, PipelineAction, PreflightReport } from "../../../sdk/src/hub.ts";
import type { KnownAction } from "../action-arguments.ts";
import { parseAction } from "../action-arguments.ts";
import { confirmWrite } from "../ask.ts";
import { readData } from "../body-input.ts";
import type { Command, Given } from "../command.ts";
import { confirmOptions, connectionOptions, outputOptions } from "../command.ts";
import type { Connection } from "../connection.ts";
import { connect } from "../connection.ts";
import type { ExitCode } from "../exit.ts";
import { exitCodes, usageError } from "../exit.ts";
import type { OperationField } from "../operation.ts";
import { operations } from "../operations-table.ts";
import { formatOf, checkOutput, note, print, printRecord } from "../output.ts";
import { timeoutOption, withTimeLimit } from "../time-limit.ts";
import { listOf, splitPair, valueOf } from "../values.ts";

export const run: Command = {
  summary: "Run actions or a pipeline on orders",
  options: {
    filter: {
      type: "string",
      short: "f",
      multiple: true,
      placeholder: "NAME=VALUE",
      text: "Orders with this value; the names are the options of hub orders list. Several must all match",
    },
    order: { type: "string", multiple: true, placeholder: "ID", text: "These orders, by ID or number" },
    selection: { type: "string", placeholder: "ID", text: "The orders of a selection" },
    action: {
      type: "string",
      short: "a",
      multiple: true,
      placeholder: "TYPE:PARAM=VALUE",
      text: "An action; several are applied in this order",
    },
    actions: { type: "string", placeholder: "JSON", text: "The list of actions, or @FILE, or - for stdin" },
    pipeline: { type: "string", placeholder: "ID", text: "A saved pipeline" },
    "exclude-codes": { type: "string", placeholder: "A,B", text: "Leave out orders with these codes in the preflight" },
    "on-error": { type: "string", values: ["skip_order", "continue", "abort_run"], text: "After a failed action" },
    "on-drift": { type: "string", values: ["run", "skip", "reject"], text: "Orders that changed since the preflight" },
    note: { type: "string", text: "Why, for the history" },
    preflight: { type: "boolean", text: "Only show what would happen" },
    watch: { type: "boolean", short: "w", text: "Follow the run until it has ended" },
    ...timeoutOption,
    ...confirmOptions,
    ...outputOptions,
    ...connectionOptions,
  },
  details: `A preflight always comes first; on live the command shows its result and asks. Up to 1,000 orders the run has ended with the
answer; larger ones go on in the background unless --watch is given. The exit code is 3 if orders failed, or, with
--preflight, are blocked.

  hub run --filter status=ready --filter tagsAny=vip --action set_priority:priority=high --preflight
  hub run --filter tagsAny=vip -a add_tags:tags=checked,gift -a set_priority:priority=high --watch --yes`,
  async run(given) {
    const target = targetOf(given);
    const isPreflight = given.flag("preflight") ?? false;
    if (given.text("timeout") !== undefined && (isPreflight || !given.flag("watch")))
      throw usageError("--timeout limits how long --watch waits, and --watch is missing.");
    if (!isPreflight) checkOutput(operations.get("operations run")!, given);
    const connection = connect(given);
    const request = { ...target, ...(await actionsOf(connection.hub, given)), ...choicesOf(given) };
    const report = await connection.hub.operations.preflight({ ...request, detail_limit: 100 });
    if (isPreflight) return await showPreflight(report, given);
    note(summaryOf(report));
    await confirmWrite(connection, given, `hub run on ${countOrders(report.summary.orders)}`);
    return await start(connection, request, report, given);
  },
};

type Target = { order_ids?: string[]; filter?: OrderFilter; selection_id?: string };

function targetOf(given: Given): Target {
  const [filter, orders, selection] = [given.list("filter"), given.list("order"), given.text("selection")];
  const count = [filter.length > 0, orders.length > 0, selection !== undefined].filter(Boolean).length;
  if (count !== 1) throw usageError("name the orders with one of --filter, --order and --selection.");
  if (selection !== undefined) return { selection_id: selection };
  if (orders.length > 0) return { order_ids: orders.flatMap((one) => one.split(",")) };
  return { filter: filterOf(filter) };
}

function filterOf(pairs: string[]): OrderFilter {
  const fields = (operations.get("orders list")?.query ?? []).filter(
    ({ name }) => !/^(?:page|limit|sort|ids)$/.test(name),
  );
  const typed = new Map<OperationField, string[]>();
  for (const pair of pairs) {
    const [name, value] = splitPair(pair, "--filter");
    const field = fields.find((one) => one.name === name);
    if (!field) {
      const meant = nearestName(
        name,
        fields.map((one) => one.name),
      );
      throw usageError(
        `--filter: orders have no filter "${name}".${meant === undefined ? "" : ` Did you mean ${meant}?`}`,
      );
    }
    typed.set(field, [...(typed.get(field) ?? []), value]);
  }
  return Object.fromEntries(
    [...typed].map(([field, values]) => {
      const origin = `--filter ${field.name}`;
      if (field.isList) return [field.name, listOf(values, field, origin)];
      if (values.length > 1) throw usageError(`${origin} can be given once.`);
      return [field.name, valueOf(values[0]!, field, origin)];
    }),
  );
}

async function actionsOf(hub: Hub, given: Given): Promise<{ actions?: PipelineAction[]; pipeline_id?: string }> {
  const [typed, json, pipeline] = [given.list("action"), given.text("actions"), given.text("pipeline")];
  const count = [typed.length > 0, json !== undefined, pipeline !== undefined].filter(Boolean).length;
  if (count !== 1) throw usageError("say what to do with one of --action, --actions and --pipeline.");
  if (pipeline !== undefined) return { pipeline_id: pipeline };
  // The hub checks the params, as those of its plug-ins too.
  if (json !== undefined) return { actions: (await readData(json, "--actions")) as PipelineAction[] };
  const { data } = await hub.operations.actions.list();
  return { actions: typed.map((one) => parseAction(one, data as KnownAction[]) as PipelineAction) };
}

type Choices = { on_error?: "skip_order" | "continue" | "abort_run" };

function choicesOf(given: Given): Choices {
  const onError = given.text("on-error") as Choices["on_error"];
  return onError === undefined ? {} : { on_error: onError };
}

const countOrders = (count: number): string => `${count.toLocaleString("en-US")} order${count === 1 ? "" : "s"}`;

function summaryOf({ verdict, summary }: PreflightReport): string {
  const parts = Object.entries(summary).filter(([name, count]) => name !== "orders" && count > 0);
  const counts = parts.map(([name, count]) => `${count} ${name.replaceAll("_", " ")}`).join(", ");
  return `Preflight: ${verdict.replaceAll("_", " ")}. ${countOrders(summary.orders)}${counts === "" ? "" : `: ${counts}`}.`;
}

async function showPreflight(report: PreflightReport, given: Given): Promise<ExitCode> {
  if (formatOf(given) === "table" && given.text("fields") === undefined) {
    await print(summaryOf(report));
    for (const { verdict, type, code, count, message } of report.groups)
      await print(`  ${verdict}  ${count}  ${type ?? "order"}: ${message} (${code})`);
  } else await printRecord(report, { given });
  const { blocked, not_found: notFound } = report.summary;
  return blocked + notFound > 0 ? exitCodes.incomplete : exitCodes.done;
}

async function start(
  { hub }: Connection,
  request: Target & Choices & { actions?: PipelineAction[]; pipeline_id?: string },
  report: PreflightReport,
  given: Given,
): Promise<ExitCode> {
  const { filter: _, ...rest } = request;
  const target = report.selection_id === null ? request : { ...rest, selection_id: report.selection_id };
  const [drift, codes, text] = [given.text("on-drift"), given.text("exclude-codes"), given.text("note")];
  const body = {
    ...target,
    preflight_token: report.preflight_token,
    ...(drift === undefined ? {} : { on_drift: drift as "run" | "skip" | "reject" }),
    ...(codes === undefined ? {} : { exclude_codes: codes.split(",") }),
    ...(text === undefined ? {} : { note: text }),
  };
  const watches = given.flag("watch") ?? false;
  const started = await hub.operations.run(body, watches ? { prefer: "respond-async" } : {});
  const last = watches ? await watch(hub, started, given) : started;
  if (formatOf(given) === "table" && given.text("fields") === undefined) await print(describeRun(last));
  else await printRecord(last, { given, isAfterChange: true });
  return ["queued", "running", "succeeded"].includes(last.status) ? exitCodes.done : exitCodes.incomplete;
}

async function watch(hub: Hub, started: OperationRun, given: Given): Promise<OperationRun> {
  note(`Run ${started.id} started.`);
  const onProgress = ({ status, summary, order_count: total }: OperationRun): void => {
    const done = summary.succeeded + summary.failed + summary.skipped + summary.cancelled;
    if (process.stderr.isTTY) note(`${status}: ${done} of ${total} orders`);
  };
  return await withTimeLimit(given, (signal) => hub.waitForRun(started, { onProgress, ...(signal ? { signal } : {}) }));
}

function describeRun({ id, status, summary, errors_by_code: codes }: OperationRun): string {
  const { succeeded, failed, skipped, no_change: unchanged } = summary;
  const lines = Object.entries(codes).map(([code, count]) => `  ${count} failed with ${code}`);
  const text = `Run ${id} ${status.replaceAll("_", " ")}: ${succeeded} succeeded (${unchanged} unchanged), ${failed} failed, ${skipped} skipped.`;
  return [text, ...lines, `Undo it with hub operations runs undo ${id}`].join("\n");
}
