import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { Scope } from "../core/scopes.ts";
import { operatorOnlyScopes, scopes } from "../core/scopes.ts";
import type { Route } from "../route.ts";
import type { Answer, TestClient } from "../testing/test-client.ts";
import { startTestHub } from "../testing/test-hub.ts";
import { allRoutes, exampleBody, pathOf } from "../testing/route-samples.ts";
import { homeOf } from "./record-homes.ts";

// The preview surface has every route there is. All of this is generated: a new route is covered as it is.
const unknownId = (): string => randomUUID();
const hub = await startTestHub({ environment: "preview" });
const routes = allRoutes(hub.mounts);
const guarded = routes.filter(({ route }) => route.scope !== "public");

describe("every route", () => {
  test.each(guarded)("$name rejects a request without a token, and names the accepted ways", async (mounted) => {
    const { status, headers, body } = await hub.anonymous.call(mounted.route.method, pathOf(mounted, unknownId));
    expect(status).toBe(401);
    expect(headers.get("www-authenticate")).toMatch(/^Bearer /);
    expect(body.code ?? body.error.code).toBe("missing_token");
  });

  test.each(routes.filter(({ route }) => route.body))("$name publishes an example body", ({ route }) => {
    expect(exampleBody(route)).toBeTypeOf("object");
  });

  test.each(routes.filter(({ route }) => route.body))("$name names an unknown field", async (mounted) => {
    const body = { ...exampleBody(mounted.route), nonsense: 1 };
    const answer = await hub.operator.call(mounted.route.method, pathOf(mounted, unknownId), body);
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toContainEqual(expect.objectContaining({ pointer: "/nonsense", code: "unknown_field" }));
  });

  test.each(routes)("$name names an unknown query parameter", async (mounted) => {
    const path = `${pathOf(mounted, unknownId)}?nonsense=1`;
    const answer = await hub.operator.call(mounted.route.method, path, exampleBody(mounted.route));
    expect(answer.status).toBe(400);
    const { errors } = answer.body.error ?? answer.body;
    expect(errors).toContainEqual(expect.objectContaining({ pointer: "query/nonsense" }));
  });

  test.each(routes.filter(({ route }) => route.ids))(
    "$name answers a malformed id like an unknown one",
    async (mounted) => {
      const call = (id: string) =>
        hub.operator.call(
          mounted.route.method,
          pathOf(mounted, () => id),
          exampleBody(mounted.route),
        );
      const [malformed, unknown] = [await call("not-an-id"), await call(randomUUID())];
      expect(malformed.status).toBe(404);
      expect(malformed.body.code).toBe(unknown.body.code);
    },
  );

  test("that creates a record returns its Location, unless there is no route to read it", () => {
    const isMaker = (route: Route): boolean => {
      const { properties = {} } = route.answer[1] as { properties?: object };
      return route.method === "POST" && route.answer[0] !== 200 && "id" in properties;
    };
    const homeless = hub.mounts.flatMap(({ routes: own }) =>
      own.filter((route) => isMaker(route) && homeOf(route, own) === undefined).map(({ path }) => path),
    );
    // Keys and comments are only listed; another secret and another round of deliveries are no records.
    expect(homeless).toEqual([
      "/api-keys",
      "/api-keys/:id/rotate",
      "/exceptions/:id/comments",
      "/webhooks/:id/rotate-secret",
      "/webhooks/:id/resend",
    ]);
  });

  test("carries a request id and the name of its surface", async () => {
    const { headers } = await hub.operator.get("/me", { headers: { "x-request-id": "my-own.id" } });
    expect(headers.get("x-request-id")).toBe("my-own.id");
    expect(headers.get("hub-environment")).toBe("preview");
    const odd = await hub.operator.get("/me", { headers: { "x-request-id": "a b" } });
    expect(odd.headers.get("x-request-id")).toMatch(/^req_[0-9a-f]{24}$/);
  });
});

describe("scopes", () => {
  const keys = new Map<string, TestClient>();
  async function keyWith(...granted: Scope[]): Promise<TestClient> {
    const name = granted.join(" ");
    let client = keys.get(name);
    if (!client) {
      const { body } = await hub.operator.post("/api-keys", { name: name.slice(0, 100), scopes: granted });
      client = hub.client(body.key);
      keys.set(name, client);
    }
    return client;
  }
  const isRefused = ({ status, body }: Answer): boolean =>
    status === 403 && /^(insufficient_scope|admin_required)$/.test(body.code ?? body.error.code);

  // No body and unknown ids: a call that gets past the scope changes nothing, except for the reset of the preview.
  test.each(guarded)("$name accepts only its own scope", async (mounted) => {
    const { route } = mounted;
    const call = async (client: TestClient) => await client.call(route.method, pathOf(mounted, unknownId));
    if (route.scope === "any" || route.scope === "public") {
      expect((await call(await keyWith("gateway:read"))).status).not.toBe(403);
      return;
    }
    const own = route.scope;
    expect((await call(await keyWith(own))).status).not.toBe(403);
    const others = scopes.filter((scope) => scope !== own && scope !== "admin");
    expect(isRefused(await call(await keyWith(...others)))).toBe(true);
    if (own !== "admin") expect(isRefused(await call(await keyWith("admin")))).toBe(operatorOnlyScopes.has(own));
  });

  test("a rejection names the missing scope and the granted ones", async () => {
    const { body } = await (await keyWith("gateway:read")).get("/condition-sets");
    expect(body).toMatchObject({ required: ["condition_sets:read"], granted: ["gateway:read"] });
  });
});

describe("unknown routes", () => {
  test("a wrong method gets 405 with the allowed ones", async () => {
    const { status, headers, body } = await hub.operator.call("PUT", "/condition-sets");
    expect(status).toBe(405);
    expect(headers.get("allow")).toBe("GET, HEAD, POST");
    expect(body.code).toBe("method_not_allowed");
  });

  test("an unknown path gets 404, in the format of its service", async () => {
    expect((await hub.operator.get("/nonsense")).body).toMatchObject({ code: "route_not_found", status: 404 });
    expect((await hub.operator.get("/v1/nonsense")).body).toMatchObject({
      ok: false,
      error: { code: "route_not_found" },
    });
  });
});
