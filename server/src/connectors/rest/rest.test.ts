import fc from "fast-check";
import { afterAll, beforeEach, expect, test } from "vitest";
import type { HttpRequest } from "../../core/outbound/outbound-request.ts";
import { callFor, pullAll, taskOf } from "../../testing/connector-calls.ts";
import { startStandInShop } from "../../testing/stand-in-shop.ts";
import type { Call } from "../connector.ts";
import { isJsonPath, readPath } from "../json-path.ts";
import { urlBelow } from "./rest-request.ts";
import { fillJson, fillPath, hasHiddenDots } from "./rest-template.ts";
import { rest } from "./rest.ts";

const shop = await startStandInShop({ seed: 2, orders: 25 });
afterAll(async () => await shop.close());
beforeEach(() => shop.calm());

const limits = { allowPrivate: false };

function callWith(settings: Record<string, unknown>, more: Partial<Call> = {}): Call {
  const credentials = { token: shop.token, username: "user", password: shop.token };
  return callFor({ settings: { baseUrl: `${shop.url}/rest`, ...settings }, credentials, ...more });
}

/** Answers what it is told to, and remembers what it was asked. */
function scripted(answers: { status?: number; headers?: Record<string, string>; body: unknown }[]) {
  const asked: HttpRequest[] = [];
  const http: Call["http"] = {
    request(request) {
      asked.push(request);
      const { status = 200, headers = {}, body } = answers.shift()!;
      const text = JSON.stringify(body);
      return Promise.resolve({
        status,
        headers,
        text,
        bytes: Buffer.from(text),
        json: () => body,
        retryAfterMs: undefined,
        mayHaveHappened: false,
      });
    },
  };
  return { http, asked };
}

test.each(["bearer", "basic", "header", "query"])("signs in by %s", async (kind) => {
  const test = taskOf(rest, "call", "connection.test");
  const settings = { auth: { kind }, testPath: "/ping" };
  expect(await test.run(callWith(settings))).toEqual({ ok: true, status: 200 });
  await expect(test.run({ ...callWith(settings), credentials: {} })).rejects.toMatchObject({ code: "unauthorized" });
});

test("without a test path anybody who answers and does not refuse will do", async () => {
  const test = taskOf(rest, "call", "connection.test");
  expect(await test.run(callFor({ settings: { baseUrl: `${shop.url}/nothing-here` } }))).toEqual({
    ok: true,
    status: 404,
  });
  await expect(test.run(callFor({ settings: { baseUrl: `${shop.url}/rest` } }))).rejects.toMatchObject({
    code: "unauthorized",
  });
});

test("any request can be made below the base address and nowhere else", async () => {
  const request = taskOf(rest, "call", "http.request");
  const settings = { auth: { kind: "bearer" } };
  const input = { path: "/page/orders", query: { limit: 2 } };
  expect(await request.run(callWith(settings, { input }))).toMatchObject({
    status: 200,
    body: { meta: { total: 25 } },
  });
  const hidden = ["/..%2f..%2fadmin", "/x/..%2F..%5C../admin", "/%252e%252e%252fadmin", "/a%5c..%5C..%5cx"];
  for (const path of ["/../admin", "/%2e%2e/admin", "/a/../../x", "/..\\admin", ...hidden]) {
    await expect(request.run(callWith(settings, { input: { path } })), path).rejects.toMatchObject({
      code: "outside_base_url",
    });
  }
  expect(await request.run(callWith({}, { input: { path: "/ping", allowErrors: true } }))).toMatchObject({
    status: 401,
  });
  await expect(request.run(callWith({}, { input: { path: "/ping" } }))).rejects.toMatchObject({ code: "unauthorized" });
});

test("a path that looks like another server stays on this one", () => {
  expect(urlBelow("https://erp.example/api/", "//evil.example/x").href).toBe("https://erp.example/api//evil.example/x");
  expect(urlBelow("https://erp.example", "/@evil.example").origin).toBe("https://erp.example");
  expect(() => urlBelow("https://erp.example/api", "/../apix")).toThrow("leads outside the base URL");
});

const hostile = ["./\\%2eF?#@:;&= aé{}\n\u0000".split(""), "\uD800", "🧵", "../"].flat();

test("a value in a path is one part of it, whatever it holds", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...hostile), minLength: 1 }), (value) => {
      fc.pre(!hasHiddenDots(value));
      const path = fillPath("/orders/{{input.id}}/lines", { input: { id: value }, settings: {} });
      const url = urlBelow("https://erp.example/api", path);
      expect([url.origin, url.search, url.hash]).toEqual(["https://erp.example", "", ""]);
      const parts = url.pathname.split("/");
      expect(parts.length).toBe(5);
      expect(decodeURIComponent(parts[3]!)).toBe(value.toWellFormed());
    }),
  );
  for (const id of [".", "..", ""]) {
    expect(() => fillPath("/{{input.id}}", { input: { id }, settings: {} })).toThrow("cannot be part of a URL path");
  }
  expect(() => fillPath("/{{input.id}}", { input: {}, settings: {} })).toThrow("{{input.id}} has no value");
});

test("a body is filled in with values of their own type", () => {
  const scope = { input: { note: "x" }, settings: { site: 7 }, record: { id: 1, tags: ["a"] }, effectKey: "k" };
  const template = {
    all: "{{record}}",
    site: "{{settings.site}}",
    text: "N {{input.note}} {{effectKey}}",
    tags: ["{{record.tags[0]}}"],
  };
  expect(fillJson(template, scope)).toEqual({ all: scope.record, site: 7, text: "N x k", tags: ["a"] });
  expect(fillJson({ a: "{{record.missing}}" }, scope)).toEqual({ a: null });
});

test("paths into JSON reach own members only", () => {
  const value = { a: [{ "b-c": 1 }], "": 2 };
  expect(readPath(value, "a[0].b-c")).toBe(1);
  expect(readPath(value, "$.a[0]")).toEqual({ "b-c": 1 });
  expect(readPath([1], "$")).toEqual([1]);
  for (const path of ["constructor", "__proto__", "a.length.x", "a[1].b", "toString"]) {
    expect(readPath(value, path), path).toBeUndefined();
  }
  expect(["a.b", "[0].id", "$", "", "data[1][2].x"].every(isJsonPath)).toBe(true);
  expect(["a..b", "a[x]", "a[", ".a", "a.[0]", "*.id", "data.*"].some(isJsonPath)).toBe(false);
});

const linked = {
  baseUrl: "https://erp.example/api",
  auth: { kind: "query", paramName: "key" },
  tasks: [{ name: "orders.import", mode: "pull", request: { path: "/orders" }, pagination: { kind: "link" } }],
};
const importing = taskOf(rest, "pull", "orders.import", linked);

test("a link to another server is not followed, and the credentials do not go there", async () => {
  const { http, asked } = scripted([
    { headers: { link: '<https://evil.example/next>; rel="next"' }, body: [{ id: 1 }] },
  ]);
  const call = callFor({ settings: linked, credentials: { token: "secret" }, http });
  await expect(pullAll(importing, call)).rejects.toMatchObject({ code: "outside_base_url" });
  expect(asked.length).toBe(1);
});

test("a link whose path looks like another server stays on this one, and no key is kept in the cursor", async () => {
  const { http, asked } = scripted([
    { headers: { link: '<https://erp.example//evil.example/x?key=secret&p=2>; rel="next"' }, body: [{ id: 1 }] },
    { body: [{ id: 2 }] },
  ]);
  const call = callFor({ settings: linked, credentials: { token: "secret" }, http });
  const pages = await pullAll(importing, call);
  expect(asked.map(({ url }) => String(url))).toEqual([
    "https://erp.example/api/orders?key=secret",
    "https://erp.example//evil.example/x?p=2&key=secret",
  ]);
  expect(JSON.stringify(pages.map(({ cursor }) => cursor))).not.toContain("secret");
});

test("an answer that is not what the settings say is a failure that names the place", async () => {
  const call = (body: unknown) => callFor({ settings: linked, http: scripted([{ body }]).http });
  await expect(pullAll(importing, call({ data: [] }))).rejects.toMatchObject({
    code: "unexpected_response",
    message: "The response has no list at its root.",
  });
  await expect(pullAll(importing, call([{ id: 1 }, { no: 1 }]))).rejects.toMatchObject({
    message: "Record 1 has no ID at id.",
  });
});

/** Answers by the cursor it is asked with, for ever. */
function byCursor(answer: (cursor: string | null) => { ids: number[]; next: unknown }) {
  let asked = 0;
  const http: Call["http"] = {
    request({ url }) {
      if (++asked > 100) throw new Error("asked for ever");
      const { ids, next } = answer(new URL(url).searchParams.get("cursor"));
      const body = { data: ids.map((id) => ({ id })), next };
      const text = JSON.stringify(body);
      const json = () => body;
      return Promise.resolve({
        status: 200,
        headers: {},
        text,
        bytes: Buffer.from(text),
        json,
        retryAfterMs: undefined,
        mayHaveHappened: false,
      });
    },
  };
  const pagination = { kind: "cursor", nextCursorPath: "next" };
  const settings = {
    baseUrl: "https://erp.example",
    tasks: [{ name: "orders.import", mode: "pull", request: { path: "/orders" }, recordsPath: "data", pagination }],
  };
  return { task: taskOf(rest, "pull", "orders.import", settings), call: callFor({ settings, http }) };
}

test("a cursor that stays the same behind the last record is the end", async () => {
  const { task, call } = byCursor((cursor) => ({ ids: cursor === null ? [1, 2] : [], next: "here" }));
  const pages = await pullAll(task, call);
  expect(pages.flatMap(({ records }) => records.map(({ externalId }) => externalId))).toEqual(["1", "2"]);
  expect(pages.at(-1)!.cursor).toEqual({});
});

test.each([
  ["with records", [1]],
  ["without any", []],
])("cursors that lead round in a circle %s end with a failure, not never", async (_, ids) => {
  const { task, call } = byCursor((cursor) => ({
    ids: ids.map((id) => id + Number(cursor ?? 0)),
    next: cursor === "5" ? 6 : 5,
  }));
  await expect(pullAll(task, call)).rejects.toMatchObject({ code: "pagination_loop", retryable: true });
  await expect(pullAll(task, call, { next: "6" })).rejects.toMatchObject({ code: "pagination_loop" });
});

test("a server that ignores the page number ends with a failure, not never", async () => {
  const settings = {
    baseUrl: "https://erp.example",
    tasks: [{ name: "orders.import", mode: "pull", request: { path: "/orders" }, pagination: { kind: "page" } }],
  };
  const { http, asked } = scripted(Array.from({ length: 50 }, () => ({ body: [{ id: 1 }, { id: 2 }] })));
  const task = taskOf(rest, "pull", "orders.import", settings);
  await expect(pullAll(task, callFor({ settings, http }))).rejects.toMatchObject({ code: "pagination_loop" });
  expect(asked.length).toBeLessThan(10);
});

test("a call answers the part of the answer that is asked for", async () => {
  const task = { name: "stock.get", mode: "call", request: { path: "/page/orders", query: { limit: "{{input.n}}" } } };
  const settings = { auth: { kind: "bearer" }, tasks: [{ ...task, resultPath: "meta" }] };
  const stock = taskOf(rest, "call", "stock.get", settings);
  expect(await stock.run(callWith(settings, { input: { n: 1 } }))).toEqual({ total: 25 });
});

test("a push sends the record and its key, and reads the new id", async () => {
  const settings = {
    baseUrl: "https://erp.example",
    variables: { site: "eu" },
    tasks: [
      {
        name: "orders.export",
        mode: "push",
        request: {
          method: "PUT",
          path: "/{{settings.site}}/orders/{{record.number}}",
          headers: { "X-Site": "{{settings.site}}" },
        },
        externalIdPath: "order.id",
        idempotencyHeader: "Idempotency-Key",
      },
    ],
  };
  const { http, asked } = scripted([{ body: { order: { id: 77 } } }]);
  const push = taskOf(rest, "push", "orders.export", settings);
  expect(await push.send(callFor({ settings, http }), { number: "A/1" }, "key-9")).toMatchObject({ externalId: "77" });
  expect(asked[0]).toMatchObject({
    method: "PUT",
    headers: { "X-Site": "eu", "Idempotency-Key": "key-9" },
    body: { json: { number: "A/1" } },
    retry: "never",
  });
  expect(String(asked[0]!.url)).toBe("https://erp.example/eu/orders/A%2F1");
});

test("what a push sends is the same until the request is another one; a correction names what was sent", async () => {
  const task = {
    name: "fulfillments.push",
    mode: "push",
    request: { path: "/orders/{{record.number}}/shipments" },
    update: { request: { path: "/shipments/{{existing.externalId}}" } },
    idempotencyHeader: "Idempotency-Key",
  };
  const settings = { baseUrl: "https://erp.example", tasks: [task] };
  const { http, asked } = scripted([{ body: {} }]);
  const call = callFor({ settings, http });
  const push = taskOf(rest, "push", "fulfillments.push", settings);
  const content = (record: object) => JSON.stringify(push.contentOf!(call, { number: "A-1", ...record }));
  expect(content({ version: 2, updatedAt: "later" })).toBe(content({ version: 1, updatedAt: "now" }));
  expect(content({ tags: ["x"] })).not.toBe(content({}));
  expect(() => push.contentOf!(call, {})).toThrow("{{record.number}} has no value");
  await push.update!(call, { number: "A-1" }, { externalId: "7/8" }, "key-2");
  expect(asked[0]).toMatchObject({ method: "PUT", headers: { "Idempotency-Key": "key-2" } });
  expect(String(asked[0]!.url)).toBe("https://erp.example/shipments/7%2F8");
  expect(await push.update!(call, { number: "A-1" }, {}, "key-3")).toBeUndefined();
});

test("which pushes are sent again when something has changed follows from name and method, or is said", () => {
  const rule = (name: string, more: object = {}, request: object = {}) => {
    const task = { name, mode: "push", request: { path: "/x", ...request }, ...more };
    const { unit, resendPolicy } = taskOf(rest, "push", name, { tasks: [task] });
    return [unit, resendPolicy];
  };
  expect(rule("orders.export")).toEqual(["order", "never"]);
  expect(rule("fulfillments.push")).toEqual(["shipment", "never"]);
  expect(rule("status.push")).toEqual(["order", "on_change"]);
  expect(rule("orders.export", {}, { method: "PUT" })).toEqual(["order", "on_change"]);
  expect(rule("orders.export", { resendPolicy: "on_change" })).toEqual(["order", "on_change"]);
  expect(rule("status.push", { resendPolicy: "never" })).toEqual(["order", "never"]);
});

test("all that cannot work in the settings is said at once, with its place", () => {
  const problems = rest.check!(
    {
      baseUrl: "http://10.0.0.1",
      tasks: [
        { name: "http.request", mode: "call", request: { path: "/a/../b" } },
        { name: "a", mode: "pull", request: { path: "/{{record.id}}", method: "DELETE" }, recordsPath: "a..b" },
        {
          name: "a",
          mode: "push",
          request: { path: "/{{settings.none}}" },
          update: { request: { path: "/{{existing.externalId}}/{{existing.other}}" } },
          pagination: { kind: "cursor" },
          updatedSince: { param: "s" },
        },
      ],
    },
    limits,
  );
  expect(problems.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual([
    "/baseUrl address_not_allowed",
    "/tasks/0/request/path outside_base_url",
    "/tasks/0/name name_taken",
    "/tasks/1/request/path unknown_placeholder",
    "/tasks/1/request/method not_a_read",
    "/tasks/1/recordsPath not_a_path",
    "/tasks/2/request/path unknown_placeholder",
    "/tasks/2/update/request/path unknown_placeholder",
    "/tasks/2/name name_taken",
    "/tasks/2/pagination/nextCursorPath required",
    "/tasks/2/updatedAtPath required",
  ]);
});

test("tasks have the same schemas each time they are asked for, so that compiling them once is enough", () => {
  const settings = { ...linked, tasks: [...linked.tasks, { name: "a", mode: "call", request: { path: "/a" } }] };
  const schemas = () => rest.tasks(settings).map(({ input }) => input);
  for (const [index, schema] of schemas().entries()) expect(schemas()[index]).toBe(schema);
});
