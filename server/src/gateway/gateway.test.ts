import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { startTestHub } from "../testing/test-hub.ts";

const hub = await startTestHub();
const org = await hub.org();

describe("GET /v1/overview", () => {
  test("returns the five KPIs of the own organization in the envelope", async () => {
    const { status, body } = await org.get("/v1/overview");
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ok: true,
      data: { on_time_pct: 0, in_transit: 0, delivered: 0, avg_transit_days: 0, at_risk: 0, sample: { on_time: 0 } },
      meta: { version: "1.0.0", organizationId: org.id },
    });
    expect(body.meta.requestId).toMatch(/^req_/);
  });

  test("takes the organization from header or query; another one is rejected like an unknown one", async () => {
    expect((await org.get(`/v1/overview?organization_id=${org.id}`)).status).toBe(200);
    expect((await org.get("/v1/overview", { headers: { "x-organization-id": org.id.toUpperCase() } })).status).toBe(
      200,
    );
    const other = await hub.org();
    for (const id of [other.id, randomUUID()]) {
      const refused = await org.get("/v1/overview", { headers: { "x-organization-id": id } });
      expect(refused.body).toMatchObject({ ok: false, error: { code: "organization_mismatch", status: 403 } });
      expect((await org.get(`/v1/overview?organization_id=${id}`)).status).toBe(403);
    }
    expect((await org.get("/v1/overview?organization_id=x")).body.error).toMatchObject({
      status: 400,
      errors: [{ pointer: "query/organization_id" }],
    });
    const both = await org.get(`/v1/overview?organization_id=${org.id}`, {
      headers: { "x-organization-id": other.id },
    });
    expect(both.status).toBe(400);
  });

  test("is global without an organization id for operators of the hub, and only for them", async () => {
    expect((await hub.operator.get("/v1/overview")).body.meta.organizationId).toBeNull();
    expect((await hub.operator.get(`/v1/overview?organization_id=${org.id}`)).body.meta.organizationId).toBe(org.id);
    expect((await org.get("/v1/overview")).body.meta.organizationId).toBe(org.id);
    for (const path of ["overview", "overview/at-risk"]) {
      const unknown = await hub.operator.get(`/v1/${path}?organization_id=${randomUUID()}`);
      expect(unknown.body).toMatchObject({ ok: false, error: { code: "organization_not_found", status: 404 } });
    }
  });
});

describe("GET /v1/capabilities", () => {
  test("lists every route with its status", async () => {
    const { body } = await org.get("/v1/capabilities");
    const listed = [...body.data.routes, ...body.data.services.main.routes];
    const registered = hub.mounts.flatMap(({ prefix, routes }) =>
      routes.map((route) => `${route.method} ${prefix}${route.path}`.replaceAll(/:(\w+)/g, "{$1}")),
    );
    expect(listed.map(({ method, path }: { method: string; path: string }) => `${method} ${path}`).toSorted()).toEqual(
      registered.toSorted(),
    );
    const byPath = Object.fromEntries(
      listed.map((entry: { method: string; path: string }) => [`${entry.method} ${entry.path}`, entry]),
    );
    expect(byPath["GET /v1/overview"]).toMatchObject({ status: "available", reason: null });
    expect(byPath["GET /v1/capabilities"]).toMatchObject({
      status: "available",
      reason: null,
      scopes: ["gateway:read"],
    });
  });
});

test("gateway errors are in the envelope", async () => {
  expect((await hub.anonymous.get("/v1/overview")).body).toMatchObject({
    ok: false,
    error: { code: "missing_token", status: 401 },
    meta: { version: "1.0.0" },
  });
});
