import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { errorTable } from "../core/errors.ts";
import { escapeHtml } from "../core/escape-html.ts";
import { leasedWorks } from "../worker/chores.ts";
import { startTestHub } from "../testing/test-hub.ts";
import { namedSchemas } from "./openapi-schemas.ts";

const hub = await startTestHub();
const page = (path: string, headers: Record<string, string> = {}) => hub.anonymous.get(`!${path}`, { headers });

describe("pages that need no token", () => {
  test("health, readiness and metrics respond", async () => {
    expect((await page("/healthz")).body).toEqual({ status: "ok" });
    expect((await page("/readyz")).body).toEqual({
      status: "ready",
      checks: { database: "ok", signals: "ok", traffic: "ok", outbound: "ok" },
    });
    await hub.anonymous.get("/me");
    const metrics = await page("/metrics");
    expect(metrics.headers.get("content-type")).toContain("text/plain");
    expect(metrics.text).toMatch(
      /hub_http_request_duration_seconds_count\{[^}]*route="\/api\/v1\/me"[^}]*status="401"/,
    );
    expect(metrics.text).toMatch(/hub_database_pool_connections\{/);
    expect(metrics.text).toMatch(/^process_resident_memory_bytes \d+/m);
  });

  test("metrics count waiting work, outcomes and rejected requests", async () => {
    const { db } = hub.world;
    const { promise: enough, resolve: release } = Promise.withResolvers<void>();
    const holding = Array.from({ length: 10 }, () => db.transaction(() => enough));
    await expect.poll(() => db.connectionCounts().idle).toBe(0);
    // No request gets a connection, and this many do not wait for one.
    const answers = await Promise.all(
      Array.from({ length: 300 }, () => hub.anonymous.post("/auth/token", { email: "a@b.example", password: "no" })),
    );
    release();
    await Promise.all(holding);
    const refused = answers.filter(({ status }) => status === 503).length;
    expect(refused).toBeGreaterThan(0);
    const { text } = await page("/metrics");
    const counted = [...text.matchAll(/^hub_http_unavailable_total\{[^}]*code="\w+"[^}]*\} (\d+)$/gm)];
    expect(counted.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(refused);
    for (const work of ["tasks", "webhook deliveries", ...leasedWorks.map(({ name }) => name)]) {
      expect(text).toMatch(new RegExp(`^hub_jobs_waiting\\{[^}]*queue="${work}"[^}]*\\} \\d+$`, "m"));
      expect(text).toMatch(new RegExp(`^hub_jobs_oldest_age_seconds\\{[^}]*queue="${work}"`, "m"));
    }
    for (const name of [
      "hub_schedules_max_lag_seconds",
      "hub_audit_entries_unsealed",
      "hub_audit_entries_unsealed_oldest_age_seconds",
    ]) {
      expect(text).toMatch(new RegExp(`^${name}\\{[^}]*\\} [\\d.]+`, "m"));
    }
  });

  test("metrics that only grow are counters by type and name, and all metrics are documented (operations N6)", async () => {
    const { text } = await page("/metrics");
    const types = [...text.matchAll(/^# TYPE (hub_\w+) (\w+)$/gm)].map(([, name, type]) => ({
      name: name!,
      type: type!,
    }));
    const counters = types.filter(({ type }) => type === "counter").map(({ name }) => name);
    expect(counters.toSorted()).toEqual([
      "hub_carrier_webhooks_total",
      "hub_http_unavailable_total",
      "hub_jobs_processed_total",
      "hub_task_fenced_writes_total",
      "hub_task_recoveries_total",
      "hub_webhook_attempts_total",
      "hub_webhook_deliveries_total",
      "hub_webhook_fenced_writes_total",
    ]);
    expect(types.filter(({ name, type }) => name.endsWith("_total") !== (type === "counter"))).toEqual([]);
    const documented = readFileSync(new URL("../../../docs/operate.md", import.meta.url), "utf8");
    expect(types.map(({ name }) => name).filter((name) => !documented.includes(`\`${name}\``))).toEqual([]);
    expect(text).toMatch(/^hub_webhook_attempts_total\{[^}]*\} \d+$/m);
  });

  test("metrics can require a token", async () => {
    const guarded = await startTestHub({ config: { metricsAccess: { token: "let-me-in" } } });
    expect((await guarded.anonymous.get("!/metrics")).status).toBe(401);
    expect((await guarded.anonymous.get("!/metrics", { headers: { authorization: "Bearer let-me-in" } })).status).toBe(
      200,
    );
  });

  test("metrics are closed to other machines until a token is set or `off` is configured", async () => {
    const closed = await startTestHub({ config: { metricsAccess: "closed" } });
    const { status, body } = await closed.anonymous.get("!/metrics");
    expect([status, body.code]).toEqual([401, "invalid_token"]);
    expect(body.detail).toContain("HUB_METRICS_TOKEN");
  });

  test("metrics are limited to twenty requests a second per address", async () => {
    const limited = await startTestHub({ config: { rateLimit: 600 } });
    await expect
      .poll(async () => {
        const many = Array.from({ length: 41 }, async () => (await fetch(`${limited.url}/metrics`)).status);
        return (await Promise.all(many)).includes(429);
      })
      .toBe(true);
    expect((await fetch(`${limited.url}/healthz`)).status).toBe(200);
  });

  test("the API reference runs only script files of the hub: no inline scripts, no eval, nothing from elsewhere", async () => {
    const docs = await fetch(`${hub.url}/docs/api`);
    const html = await docs.text();
    expect(docs.status).toBe(200);
    expect(html).not.toMatch(/(src|href)="https?:|<script(?![^>]* src=)/);
    expect(docs.headers.get("content-security-policy")).toMatch(/script-src 'self';/);
    const scripts = await Promise.all(
      Array.from(html.matchAll(/src="([^"]+\.js)"/g), ([, src]) => fetch(new URL(src!, docs.url))),
    );
    for (const { status, headers } of scripts) {
      expect([status, headers.get("content-type")]).toEqual([200, expect.stringMatching(/javascript/)]);
    }
    const start = await scripts.at(-1)!.text();
    expect(start).toContain("/openapi.json");
    // Tools and services of the vendor.
    expect(start).toMatch(/"mcp": \{\s+"disabled": true/);
    expect(start).toContain('"showDeveloperTools": "never"');
    expect(html).toContain('<a href="/docs/guides/start">');
    const other = await page("/docs/api/js/other.js");
    expect([other.status, other.body.code]).toEqual([404, "route_not_found"]);
  });

  test("the documentation runs only files of the hub, and is sent compressed and once", async () => {
    const docs = await fetch(`${hub.url}/docs`);
    const html = await docs.text();
    expect([docs.status, docs.url]).toEqual([200, `${hub.url}/docs/`]);
    expect(html).not.toMatch(/<script(?![^>]* src="\/docs)|style=|<style| on[a-z]+=/);
    expect(docs.headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self';.* require-trusted-types-for 'script'$/,
    );
    for (const encoding of ["br", "gzip"]) {
      const { headers } = await page("/docs/webhooks", { "accept-encoding": encoding });
      expect(headers.get("content-encoding")).toBe(encoding);
    }
    const etag = docs.headers.get("etag")!;
    const again = await page("/docs/", { "if-none-match": etag });
    expect([again.status, again.text]).toEqual([304, ""]);
    expect((await page("/docs/site.js")).headers.get("content-type")).toContain("javascript");
  });

  test("a page is there as Markdown, llms.txt lists all, and an unknown page says so to browsers and programs", async () => {
    const file = readFileSync(new URL("../../../docs/webhooks.md", import.meta.url), "utf8");
    const answer = await page("/docs/webhooks.md");
    // Links of the page lead to pages of the site, those of the file to files beside it.
    const asFile = answer.text.replaceAll("](/docs/sdk.md", "](../sdk/README.md").replaceAll("](/docs/", "](");
    expect([answer.headers.get("content-type"), asFile]).toEqual(["text/markdown; charset=utf-8", file]);
    expect((await page("/llms.txt")).text).toContain("(/docs/webhooks.md)");
    const unknown = await page("/docs/unknown", { accept: "text/html" });
    expect([unknown.status, unknown.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
    expect((await page("/docs/unknown")).body.code).toBe("route_not_found");
    expect((await page("/docs/..%2f..%2fpackage.json")).status).toBe(404);
  });

  test("the front page and every error page respond", async () => {
    expect((await page("/")).text).toContain("live");
    for (const [code, [status, title]] of Object.entries(errorTable)) {
      const { text } = await page(`/docs/errors/${code}`);
      expect(text).toContain(`<p>${escapeHtml(title)}.</p>`);
      expect(text).toContain(`<td>${status}</td>`);
    }
    const list = (await page("/docs/errors")).text;
    for (const code of Object.keys(errorTable)) expect(list).toContain(`href="/docs/errors/${code}"`);
    expect((await page("/docs/errors/overloaded")).text).toContain("Retry-After");
    expect((await page("/docs/errors/nonsense")).status).toBe(404);
    expect((await page("/docs/scopes")).text).toContain("condition_sets:read");
  });
});

type Operation = { operationId: string; tags: string[]; summary: string; parameters: Record<string, unknown>[] };

describe("the OpenAPI document", async () => {
  const { body, text } = await page("/openapi.json");
  const operations = Object.values(body.paths).flatMap((path) => Object.values(path as object)) as Operation[];

  const deliveries = Object.values(body.webhooks as object).map(({ post }) => post) as Operation[];

  test("is version 3.1, has every route, and is the one in docs/ apart from preview routes", () => {
    expect(body.openapi).toBe("3.1.0");
    expect(operations).toHaveLength(hub.mounts.flatMap(({ routes }) => routes).length);
    const written = JSON.parse(readFileSync(`${import.meta.dirname}/../../../docs/openapi.json`, "utf8"));
    for (const path of Object.keys(body.paths)) expect(written.paths[path]).toEqual(body.paths[path]);
  });

  test("gives every operation the name of its route as its id", () => {
    const names = hub.mounts.flatMap(({ routes }) => routes.map(({ name }) => name));
    expect(operations.map(({ operationId }) => operationId).toSorted()).toEqual(names.toSorted());
    const all = [...operations, ...deliveries].map(({ operationId }) => operationId);
    expect(new Set(all).size).toBe(all.length);
    expect(all).not.toContain(undefined);
  });

  test("describes every group and every failure", () => {
    const groups = (body.tags as { name: string }[]).map(({ name }) => name);
    expect(new Set([...operations, ...deliveries].flatMap(({ tags }) => tags))).toEqual(new Set(groups));
    expect(groups.filter((name) => !/^[A-Z][A-Za-z ]+$/.test(name))).toEqual([]);
    const failures = Object.entries(body.components.responses) as [string, { description?: string }][];
    expect(failures.filter(([, { description }]) => description === undefined)).toEqual([]);
  });

  test("has no broken references and no unused names", () => {
    const references = new Set(text.match(/#\/components\/\w+\/\w+/g));
    const components = Object.entries(body.components).flatMap(([kind, members]) =>
      kind === "securitySchemes" ? [] : Object.keys(members as object).map((name) => `#/components/${kind}/${name}`),
    );
    expect(references).toEqual(new Set(components));
    expect(Object.keys(namedSchemas).filter((name) => !(name in body.components.schemas))).toEqual([]);
  });

  test("describes each id in a path by its resource", () => {
    const inPath = operations.flatMap(({ parameters }) => parameters.filter((parameter) => parameter.in === "path"));
    expect(inPath.filter(({ description }) => !/^Id .*of the /.test(String(description)))).toEqual([]);
  });
});

describe("headers of every response", () => {
  test("forbid framing, sniffing, caching and scripts", async () => {
    const { headers } = await hub.operator.get("/me");
    expect(headers.get("content-security-policy")).toBe("default-src 'none'; frame-ancestors 'none'");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("cache-control")).toBe("no-store");
  });

  test("allow no other origin unless it is configured", async () => {
    const origin = { origin: "https://console.example" };
    expect((await hub.operator.get("/me", { headers: origin })).headers.get("access-control-allow-origin")).toBeNull();
    const open = await startTestHub({ config: { corsOrigins: ["https://console.example"] } });
    expect((await open.operator.get("/me", { headers: origin })).headers.get("access-control-allow-origin")).toBe(
      "https://console.example",
    );
    const preflight = { ...origin, "access-control-request-method": "PATCH" };
    const allowed = await open.anonymous.call("OPTIONS", "/me", undefined, { headers: preflight });
    expect(allowed.headers.get("access-control-allow-methods")).toContain("PATCH");
    const foreign = { origin: "https://evil.example" };
    expect(
      (await open.operator.get("/me", { headers: foreign })).headers.get("access-control-allow-origin"),
    ).toBeNull();
  });

  test("HEAD responds like GET, without a body", async () => {
    const answer = await hub.operator.call("HEAD", "/me");
    expect(answer).toMatchObject({ status: 200, text: "" });
  });
});
