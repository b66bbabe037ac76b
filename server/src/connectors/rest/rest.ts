import type { Static } from "typebox";
import { Type } from "../../core/type.ts";
import { OneOf, Strict } from "../../core/schema.ts";
import type { CallTask, Connector, ConnectorTask } from "../connector.ts";
import { cleanText, storable } from "../../core/strict-json.ts";
import { connectionTest } from "../standard-tasks.ts";
import { urlProblems } from "../url-settings.ts";
import { callOf, pushOf } from "./rest-push.ts";
import { pullOf } from "./rest-pull.ts";
import { bodyOf, failureOf } from "./rest-answer.ts";
import { askRest, authorize, buildRequest, headersWithoutTask, scopeOf, settingsOf, urlBelow } from "./rest-request.ts";
import { definitionProblems } from "./rest-check.ts";
import { readWebhook, webhookProblems } from "./rest-webhooks.ts";
import { checkCredentials, sendsTo, signIn, signInProblems } from "./rest-sign-in.ts";
import { RestCredentials } from "./rest-auth.schemas.ts";
import { RestSettings } from "./rest.schemas.ts";
import type { TaskDefinition } from "./rest-task.schemas.ts";

const refusals = [401, 403, 407];

const test = connectionTest(async (call) => {
  const { baseUrl, testPath, test: defined } = settingsOf(call);
  if (defined) {
    const request = buildRequest(call, defined.request, scopeOf(call), headersWithoutTask(call));
    const response = await askRest(call, { ...request, retry: "safe" });
    if (defined.failsWhen) failureOf(defined.failsWhen)(response, bodyOf(response));
    return { status: response.status };
  }
  const request = authorize(call, { url: urlBelow(baseUrl, testPath ?? "/"), headers: headersWithoutTask(call) });
  if (testPath !== undefined) return { status: (await askRest(call, request)).status };
  // Without a test path, any response that does not reject the credentials shows that the server is reachable.
  const all = Array.from({ length: 300 }, (_, i) => 200 + i).filter((status) => !refusals.includes(status));
  const response = await askRest(call, request, all);
  return { status: response.status };
});

const HttpInput = Strict(
  {
    method: Type.Optional(OneOf(["GET", "POST", "PUT", "PATCH", "DELETE"], { title: "Method", default: "GET" })),
    path: Type.String({ title: "Path", pattern: "^/", maxLength: 2000, description: "Appended to the base URL" }),
    query: Type.Optional(
      Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()]), { title: "Query" }),
    ),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.String({ maxLength: 2000 }), {
        title: "Headers",
        description: "Without credentials: those belong in the bridge",
      }),
    ),
    body: Type.Optional(Type.Unknown({ title: "Body", description: "Sent as JSON" })),
    allowErrors: Type.Optional(
      Type.Boolean({ title: "Allow errors", default: false, description: "Return 4xx responses instead of failing" }),
    ),
  },
  { examples: [{ path: "/products", query: { limit: 5 } }] },
);

const httpRequest: CallTask = {
  name: "http.request",
  title: "HTTP request",
  description:
    "A request below the base URL with the credentials of the bridge. A status of 400 or above is a failure.",
  mode: "call",
  input: HttpInput,
  output: Type.Object({ status: Type.Integer(), headers: Type.Object({}), body: Type.Unknown() }),
  idempotent: false,
  timeoutMs: 120_000,
  async run(call) {
    const { method = "GET", path, query, headers, body, allowErrors } = call.input as Static<typeof HttpInput>;
    const { baseUrl } = settingsOf(call);
    const url = urlBelow(baseUrl, path);
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.append(name, String(value));
    const given = {
      method,
      url,
      headers: { ...headersWithoutTask(call), ...headers },
      ...(body === undefined ? {} : { body: { json: body } }),
    };
    const response = await askRest(call, authorize(call, given), allowErrors ? clientErrors : []);
    const { "set-cookie": _cookie, ...rest } = response.headers;
    return { status: response.status, headers: rest, body: parsed(response.text) };
  },
};

const clientErrors = Array.from({ length: 100 }, (_, i) => 400 + i).filter((status) => status !== 429);

function parsed(text: string): unknown {
  try {
    return storable(JSON.parse(text), text);
  } catch {
    return cleanText(text);
  }
}

const taskBuilders: Record<TaskDefinition["mode"], (task: TaskDefinition) => ConnectorTask> = {
  pull: pullOf,
  push: pushOf,
  call: callOf,
};

export const rest: Connector = {
  name: "rest",
  title: "REST",
  description: "Any system with a JSON API over HTTP. The settings define the requests of its tasks.",
  settings: RestSettings,
  credentials: RestCredentials,
  check: (settings, limits) => [
    ...urlProblems("/baseUrl", settings.baseUrl, limits),
    ...urlProblems("/auth/tokenUrl", settingsOf({ settings }).auth?.tokenUrl, limits),
    ...signInProblems(settings),
    ...definitionProblems(settings),
    ...webhookProblems(settings),
  ],
  checkCredentials,
  tasks: (settings) => [
    test,
    httpRequest,
    ...(settingsOf({ settings }).tasks?.map((task) => taskBuilders[task.mode](task)) ?? []),
  ],
  site: ["baseUrl"],
  sendsTo,
  signIn,
  readWebhook,
  concurrency: 4,
};
