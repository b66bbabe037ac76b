import { nearestName } from "../../../server/src/core/nearest.ts";
import { confirmWrite } from "../ask.ts";
import { readData } from "../body-input.ts";
import type { Command, Given } from "../command.ts";
import { confirmOptions, connectionOptions, outputOptions } from "../command.ts";
import { connect } from "../connection.ts";
import { usageError } from "../exit.ts";
import type { Operation } from "../operation.ts";
import { isWrite } from "../operation.ts";
import { printAnswer } from "../operation-command.ts";
import { operations } from "../operations-table.ts";
import { checkOutput } from "../output.ts";
import { parseJson, splitPair } from "../values.ts";

const methods = ["get", "post", "put", "patch", "delete"];

export const api: Command = {
  summary: "Call any path of the API",
  usage: "get|post|put|patch|delete PATH",
  args: { min: 2, max: 2 },
  options: {
    query: { type: "string", short: "q", multiple: true, placeholder: "NAME=VALUE", text: "Query parameter" },
    field: {
      type: "string",
      short: "f",
      multiple: true,
      placeholder: "NAME=VALUE",
      text: "Field of the body, as text",
    },
    json: { type: "string", multiple: true, placeholder: "NAME=JSON", text: "Field of the body, as JSON" },
    data: { type: "string", short: "d", placeholder: "JSON", text: "The body, or @FILE, or - for stdin" },
    ...confirmOptions,
    ...outputOptions,
    ...connectionOptions,
  },
  details: `/orders is short for /api/v1/orders. A POST is sent with an Idempotency-Key and repeated after a lost connection.

  hub api get /orders -q status=ready -q limit=5
  hub api post /orders -f number=A-1 --json 'tags=["vip"]'`,
  async run(given) {
    const [typed = "", path = ""] = given.args;
    const method = methodOf(typed);
    const url = pathOf(path);
    const body = await bodyOf(given);
    if (method === "GET" && body !== undefined) throw usageError("a GET has no body; use --query.");
    const operation = findOperation(method, url);
    if (operation) checkOutput(operation, given);
    // An unknown path may change something.
    const isChange = operation ? isWrite(operation) : method !== "GET";
    const connection = connect(given);
    if (isChange) await confirmWrite(connection, given, `${method} ${url}`);
    const query = collect(given.list("query").map((pair) => splitPair(pair, "--query")));
    const input = { query, ...(body === undefined ? {} : { body }) };
    const answer = await connection.client.call(`${method} ${url}`, input);
    await printAnswer(answer, { given, isAfterChange: isChange });
    return undefined;
  },
};

function methodOf(typed: string): string {
  if (methods.includes(typed.toLowerCase())) return typed.toUpperCase();
  const meant = nearestName(typed, methods);
  const hint = meant === undefined ? "" : ` Did you mean ${meant}?`;
  throw usageError(`the method must be one of ${methods.join(", ")}, not "${typed}".${hint}`);
}

/** Braces would be taken for the name of an ID. */
function pathOf(typed: string): string {
  const path = typed.startsWith("/") ? typed : `/${typed}`;
  if (/[{}\s]/.test(path)) throw usageError(`replace the names in "${typed}" by IDs.`);
  if (path.includes("?")) throw usageError("give query parameters with --query NAME=VALUE.");
  return /^\/(?:api\/|v1\/)/.test(path) ? path : `/api/v1${path}`;
}

function findOperation(method: string, url: string): Operation | undefined {
  const isThis = (key: string): boolean =>
    new RegExp(`^${key.replaceAll(/\{\w+\}/g, "[^/]+").replaceAll(".", "\\.")}$`).test(`${method} ${url}`);
  return [...operations.values()].find(({ key }) => isThis(key));
}

async function bodyOf(given: Given): Promise<unknown> {
  const data = given.text("data");
  const texts = given.list("field").map((pair) => splitPair(pair, "--field"));
  const values = given.list("json").map((pair): [string, unknown] => {
    const [name, text] = splitPair(pair, "--json");
    return [name, parseJson(text, `--json ${name}`)];
  });
  if (data === undefined && texts.length + values.length === 0) return undefined;
  const base = data === undefined ? {} : await readData(data, "--data");
  if (texts.length + values.length === 0) return base;
  if (typeof base !== "object" || base === null || Array.isArray(base))
    throw usageError("--data must be a JSON object if --field or --json set fields of it.");
  return { ...base, ...Object.fromEntries([...texts, ...values]) };
}

/** The same name several times is a list. */
function collect(pairs: [string, string][]): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const [name, value] of pairs) (found[name] ??= []).push(value);
  return found;
}
