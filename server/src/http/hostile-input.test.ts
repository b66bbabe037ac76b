import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { buildOneOfEverything } from "../testing/builders.ts";
import { allRoutes, exampleBody, pathOf } from "../testing/route-samples.ts";
import { startTestHub } from "../testing/test-hub.ts";

const hub = await startTestHub({ environment: "preview" });
const org = await hub.org();
const mine = await buildOneOfEverything(org);
const sets = "/condition-sets";

const raw = (rawBody: string | Buffer, headers: Record<string, string> = {}) =>
  org.post(sets, undefined, { rawBody, headers });

describe("a body that is not valid JSON", () => {
  test.each([
    ["cut off", '{"name":"x"', "malformed_json"],
    ["empty", "", "validation_failed"],
    ["a bare word", "hello", "malformed_json"],
    ["a list", "[]", "validation_failed"],
    ["null", "null", "validation_failed"],
  ])("%s gets 400", async (_, body, code) => {
    const answer = await raw(body);
    expect(answer.status).toBe(400);
    expect(answer.body.code).toBe(code);
  });

  test("a duplicate key is rejected with its pointer", async () => {
    const answer = await raw('{"name":"a","description":"x","name":"b"}');
    expect(answer.body.errors).toEqual([expect.objectContaining({ pointer: "/name", code: "duplicate_key" })]);
  });

  test("a nested duplicate key with other escapes is rejected with its pointer", async () => {
    const answer = await raw(String.raw`{"name":"a","description":[{"k/ey":1},{"k/ey":[{}],"k/ey":2}]}`);
    expect(answer.body.errors).toContainEqual(
      expect.objectContaining({ pointer: "/description/1/k~1ey", code: "duplicate_key" }),
    );
  });

  test.each([
    ["a NUL character", String.raw`{"name":"a\u0000b"}`, "/name", "invalid_character"],
    ["half a surrogate pair", String.raw`{"name":"a\ud800b"}`, "/name", "invalid_character"],
    ["a number beyond 2^53", '{"name":9007199254740993}', "/name", "number_out_of_range"],
    ["an infinite number", '{"name":1e400}', "/name", "number_out_of_range"],
    ["__proto__", '{"name":"a","__proto__":{"role":"admin"}}', "/__proto__", "forbidden_key"],
    ["a NUL character in a key", String.raw`{"name":"a","b\u0000":1}`, "/b\u0000", "invalid_character"],
  ])("%s is rejected with its pointer", async (_, body, pointer, code) => {
    const answer = await raw(body);
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toContainEqual(expect.objectContaining({ pointer, code }));
  });

  test("bytes that are not UTF-8 get 400", async () => {
    const answer = await raw(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]));
    expect(answer.body).toMatchObject({
      status: 400,
      code: "malformed_json",
      detail: expect.stringContaining("UTF-8"),
    });
  });

  test("20,000 levels of nesting get 400", async () => {
    const answer = await raw(`{"name":${"[".repeat(20_000)}${"]".repeat(20_000)}}`);
    expect(answer.body).toMatchObject({ status: 400, code: "malformed_json" });
  });

  test("types are not converted: null, numbers and lists are not texts", async () => {
    for (const name of [null, 123, ["a"], true, { a: 1 }]) {
      const answer = await org.post(sets, { name });
      expect(answer.body.errors).toContainEqual(expect.objectContaining({ pointer: "/name", code: "type" }));
    }
  });

  test("all mistakes are reported at once, with allowed values and suggestions", async () => {
    const answer = await org.post(sets, { nmae: "x", description: 1, matching: "exat" });
    const byPointer = Object.fromEntries(
      answer.body.errors.map((error: { pointer: string }) => [error.pointer, error]),
    );
    expect(byPointer["/nmae"]).toMatchObject({ code: "unknown_field", suggestion: "name" });
    expect(byPointer["/name"]).toMatchObject({ code: "required" });
    expect(byPointer["/description"]).toMatchObject({ code: "type" });
    expect(byPointer["/matching"]).toMatchObject({ suggestion: "exact", allowed: ["case_insensitive", "exact"] });
  });

  test("another media type or charset gets 415", async () => {
    expect((await raw("name=x", { "content-type": "application/x-www-form-urlencoded" })).status).toBe(415);
    expect((await raw("{}", { "content-type": "text/plain" })).status).toBe(415);
    expect((await raw('{"name":"x"}', { "content-type": "application/json; charset=utf-16" })).status).toBe(415);
    expect((await raw('{"name":"in utf-8"}', { "content-type": "application/json; charset=UTF-8" })).status).toBe(201);
  });

  test("a body above the limit gets 413", async () => {
    const answer = await raw(`{"name":"${"x".repeat(11 * 1024 * 1024)}"}`);
    expect(answer.body).toMatchObject({ status: 413, code: "body_too_large" });
  });

  test("a body on a route without one gets 400, unless it is empty", async () => {
    expect((await org.post(`/schedules/${mine.schedule}/pause`, {})).status).toBe(200);
    expect((await org.delete(`${sets}/${mine.condition_set}/values/all`, {})).status).toBe(200);
    expect((await org.post(`/schedules/${mine.schedule}/pause`, [])).status).toBe(400);
    const answer = await org.delete(`${sets}/${mine.condition_set}`, { force: true });
    expect(answer.body.errors).toEqual([expect.objectContaining({ code: "unexpected_body" })]);
  });
});

describe("an invalid query", () => {
  test.each([
    "page=0",
    "page=-1",
    "page=1.5",
    "page=x",
    "page=99999999999999999999",
    "limit=0",
    "limit=101",
    "limit=",
    "page=1&page=2",
    "search=%00",
    "search=a%00b",
  ])("%s gets 400 with the name of the parameter", async (query) => {
    const answer = await org.get(`${sets}?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0].pointer).toBe(`query/${query.split("=")[0]}`);
  });

  test("SQL in a text is only text", async () => {
    await org.post(sets, { name: "100%_\\'; drop table users; --" });
    for (const search of ["%", "_", "\\", "'; drop", "\\%"]) {
      const answer = await org.get(`${sets}?search=${encodeURIComponent(search)}`);
      expect(answer.status).toBe(200);
      const expected = "100%_\\'; drop table users; --".includes(search) ? 1 : 0;
      expect(answer.body.pagination.total).toBe(expected);
    }
  });
});

describe("malformed HTTP", () => {
  const send = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(new URL(hub.url).port), "127.0.0.1", () => socket.end(text));
      let answer = "";
      socket.on("data", (chunk) => (answer += chunk.toString()));
      socket.on("end", () => resolve(answer));
      socket.on("error", reject);
    });

  test("garbage gets 400 as a problem", async () => {
    expect(await send("HELLO\r\n\r\n")).toMatch(/^HTTP\/1.1 400 [^]*application\/problem\+json[^]*"status":400/);
  });

  test("endless headers get 431 as a problem", async () => {
    expect(await send(`GET / HTTP/1.1\r\nhost: x\r\nx: ${"y".repeat(20_000)}\r\n\r\n`)).toMatch(/^HTTP\/1.1 431 /);
  });

  test("an escape that is no character gets 404, not 500", async () => {
    expect((await org.get("!/api/v1/condition-sets/%ff")).status).toBe(404);
    expect((await org.get("!/api/v1/condition-sets/%00")).status).toBe(404);
    expect((await org.get(`!/api/v1/condition-sets/${"x".repeat(8_000)}`)).status).toBe(404);
  });

  test("a DELETE body without Content-Length works when it is sent in chunks", async () => {
    const { id } = (await org.post(sets, { name: "chunked" })).body;
    await org.post(`${sets}/${id}/values`, { values: ["a", "b"] });
    const answer = await new Promise<string>((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${org.token}`,
        "content-type": "application/json",
        "transfer-encoding": "chunked",
      };
      const call = httpRequest(`${hub.url}/api/v1${sets}/${id}/values`, { method: "DELETE", headers }, (response) => {
        response.setEncoding("utf8");
        response.on("data", resolve);
      });
      call.on("error", reject);
      call.end(JSON.stringify({ values: ["a", "z"] }));
    });
    expect(JSON.parse(answer)).toEqual({ removed: 1, notFound: ["z"], valueCount: 1 });
  });
});

const bodyFields = (schema: { properties?: object } | undefined): object => schema?.properties ?? { any: 1 };

describe("random requests", () => {
  const wild = fc.oneof(
    fc.constantFrom(
      null,
      "",
      "\u202e",
      "e\u0301",
      "x".repeat(10_000),
      -0,
      1e21,
      -1,
      2 ** 31,
      "2026-13-01T00:00:00Z",
      "0000-00-00",
    ),
    fc.constantFrom("9999-12-31T23:59:60Z", "yesterday", "infinity", "../../etc/passwd", "constructor", "1e5", "true"),
    fc.string(),
    fc.integer(),
    fc.double(),
    fc.boolean(),
    fc.array(fc.string(), { maxLength: 3 }),
    fc.dictionary(fc.string(), fc.string(), { maxKeys: 3 }),
  );

  test.each(allRoutes(hub.mounts))("$name never answers 5xx", async (mounted) => {
    const { route } = mounted;
    const fields = Object.keys(bodyFields(route.body));
    const parameters = Object.keys(route.query?.properties ?? { any: 1 });
    const queries = fc.dictionary(
      fc.constantFrom(...parameters),
      fc.string({ unit: "binary" }).filter((s) => s.isWellFormed()),
      { maxKeys: 2 },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.constantFrom(...fields), wild, { maxKeys: 3 }),
        queries,
        fc.boolean(),
        async (changes, query, keep) => {
          const body = route.body ? { ...(keep ? exampleBody(route) : {}), ...changes } : undefined;
          const path = `${pathOf(mounted, (kind) => mine[kind])}?${new URLSearchParams(query).toString()}`;
          const client = route.scope === "public" ? hub.anonymous : org;
          expect((await client.call(route.method, path, body)).status).toBeLessThan(500);
        },
      ),
      { numRuns: 25 },
    );
  });
});
