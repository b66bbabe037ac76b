import type { TSchema } from "typebox";
import type { Connector } from "./connector.ts";
import { schemaProblems, untitledFields } from "../core/check-schema.ts";

/** Credentials that are no secret and may be shown while they are typed. */
const shownCredentials = ["username", "clientId", "consumerKey"];

/** Why a connector cannot be installed: what forms, documentation and the task engine need of it. */
export function connectorProblems(connector: Connector): string[] {
  const problems = [
    ...schemaProblems("settings", connector.settings),
    ...schemaProblems("credentials", connector.credentials),
  ];
  if (typeof connector.tasks !== "function") return [...problems, "tasks must be a function"];
  if (!Number.isInteger(connector.concurrency) || connector.concurrency < 1)
    problems.push("concurrency must be a whole number from 1");
  if (problems.length > 0) return problems;
  const secrets = Object.entries(connector.credentials.properties as Record<string, { "x-widget"?: string }>);
  for (const [name, field] of secrets)
    if (field["x-widget"] !== "password" && !shownCredentials.includes(name))
      problems.push(`credentials/${name} needs "x-widget": "password", so that it is not shown while it is typed`);
  if (secrets.length > 0 && typeof connector.sendsTo !== "function")
    problems.push("sendsTo is required with credentials: it names the addresses that they are sent to");
  problems.push(...untitledFields("settings", connector.settings));
  problems.push(...untitledFields("credentials", connector.credentials));
  return [...problems, ...taskProblems(connector)];
}

function taskProblems(connector: Connector): string[] {
  const [example = {}] = (connector.settings as { examples?: Record<string, unknown>[] }).examples ?? [];
  let tasks: ReturnType<Connector["tasks"]>;
  try {
    // The catalog lists the tasks of a bridge without settings.
    connector.tasks({});
    tasks = connector.tasks(example);
  } catch (error) {
    return [`tasks failed: ${(error as Error).message}`];
  }
  if (!Array.isArray(tasks)) return ["tasks must return a list"];
  const names = tasks.map(({ name }) => name);
  const problems = names.includes("connection.test") ? [] : ["it has no task connection.test"];
  for (const [index, task] of tasks.entries()) {
    const at = `task ${task.name}`;
    if (!/^[a-z][a-z0-9_.]{0,63}$/.test(task.name))
      problems.push(`${at}: a name has small letters, digits, dots and underscores`);
    if (names.indexOf(task.name) !== index) problems.push(`${at}: another task has this name`);
    if (!task.title || !task.description) problems.push(`${at} needs a title and a description`);
    if (!(task.timeoutMs > 0)) problems.push(`${at} needs a timeoutMs above 0`);
    const verb = { call: "run", pull: "pull", push: "send" }[task.mode] as string | undefined;
    if (verb === undefined) problems.push(`${at}: mode must be call, pull or push`);
    else if (typeof (task as unknown as Record<string, unknown>)[verb] !== "function")
      problems.push(`${at} needs a function ${verb}`);
    const schemas: [string, TSchema][] = [
      [`${at}: input`, task.input],
      [`${at}: output`, task.output],
    ];
    for (const [where, schema] of schemas) problems.push(...schemaProblems(where, schema));
    problems.push(...untitledFields(`${at}: input`, task.input));
  }
  return problems;
}
