import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { afterFile } from "../../server/src/testing/after-file.ts";
import type { TestOrg } from "../../server/src/testing/test-hub.ts";
import { startTestHub } from "../../server/src/testing/test-hub.ts";
import { makeConfigHome, runCommand, startCommand } from "./testing/command-process.ts";

/** The command as a process, against a real live hub. */
const hub = await startTestHub();
const folder = mkdtempSync(path.join(tmpdir(), "hub-cli-files-"));
afterFile(() => rmSync(folder, { recursive: true }));

let org: TestOrg;
let env: Record<string, string>;
const configHome = makeConfigHome();

const run = (args: string[], more: { env?: Record<string, string>; input?: string } = {}) =>
  runCommand(args, { ...more, env: { XDG_CONFIG_HOME: configHome, ...(more.env ?? env) } });
const lines = (text: string): unknown[] =>
  text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as unknown);

async function keyWith(scopes: string[]): Promise<string> {
  const { body } = await org.post("/api-keys", { name: "command", scopes });
  return (body as { key: string }).key;
}

beforeAll(async () => {
  org = await hub.org();
  env = { HUB_URL: hub.url, HUB_API_KEY: await keyWith(["admin"]) };
  const orders = ["A-1", "A-2", "A-3"].map((number, at) => ({ number, status: "ready", tags: at < 2 ? ["vip"] : [] }));
  await org.post("/orders/bulk", { orders: [...orders, { number: "A-4", status: "shipped" }] });
});

describe("help and arguments", () => {
  test("help is there for everything, and needs no sign-in", async () => {
    for (const [args, text] of [
      [[], "Usage: hub COMMAND"],
      [["--help"], "serve"],
      [["orders"], "orders list"],
      [["orders", "--help"], "orders list"],
      [["orders", "list", "-h"], "--tags-any"],
      [["help", "run"], "--preflight"],
      [["listen", "--help"], "--forward-to"],
      [["serve", "--help"], "Usage: hub serve"],
    ] as const) {
      const { code, stdout, stderr } = await run([...args], { env: {} });
      expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: "" });
      expect(stdout).toContain(text);
    }
    expect((await run(["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test("what does not exist is refused with exit code 2 and a suggestion, before anything is sent", async () => {
    for (const [args, text] of [
      [["ordres", "list"], "there is no command"],
      [["orders", "lsit"], 'Did you mean "orders list"?'],
      [["srve"], 'Did you mean "serve"?'],
      [["orders", "list", "--staus", "ready"], "Did you mean --status?"],
      [["orders", "list", "--status", "raedy"], "Did you mean ready?"],
      [["orders", "list", "--limit", "many"], "--limit must be a number"],
      [["orders", "list", "extra"], 'unexpected argument "extra"'],
      [["orders", "get"], "missing argument: ID"],
      [["orders", "list", "-o", "jsno"], "Did you mean json?"],
      [["orders", "list", "--fields", "nubmer"], "Did you mean number?"],
      [["orders", "create", "--number", "X", "--data", "{"], "--data must be JSON"],
      [["orders", "create", "--data", "@missing.json"], "missing.json cannot be read"],
      [["run", "--action", "archive"], "--filter, --order and --selection"],
      [["run", "--filter", "statsu=ready", "--action", "archive"], "Did you mean status?"],
      [["run", "--order", "A-1", "--action", "arcive"], "Did you mean archive?"],
      [["run", "--order", "A-1", "--action", "add_tags:tag=x"], "Did you mean tags?"],
      [["api", "gte", "/orders"], "Did you mean get?"],
      [["api", "get", "/orders/{id}"], "replace the names"],
      [["completion", "bsh"], "Did you mean bash?"],
      [["trigger", "order.craeted"], "Did you mean order.created?"],
      [["listen"], "--forward-to is missing"],
      [["listen", "--forward-to", "ftp://x"], "--forward-to must be"],
      [["events", "tail", "--since", "yesterday"], "--since must be"],
      [["-o", "json", "orders", "list"], "options come after the command"],
    ] as const) {
      const { code, stdout, stderr } = await run([...args]);
      expect({ args, code, stdout, stderr }).toMatchObject({ args, code: 2, stdout: "" });
      expect(stderr).toContain(text);
    }
  });

  test("an output that a change cannot have is refused before the change is sent", async () => {
    for (const [args, text] of [
      [["orders", "create", "--number", "NEVER", "--yes", "--fields", "nubmer"], "Did you mean number?"],
      [["api", "post", "/orders", "-f", "number=NEVER", "--yes", "--fields", "nubmer"], "Did you mean number?"],
      [["orders", "create-many", "--data", '{"orders":[{"number":"NEVER"}]}', "-y", "-o", "ids"], "have no id"],
      [["run", "--order", "A-3", "-a", "archive", "--yes", "--fields", "sttus"], "Did you mean status?"],
      [["run", "--order", "A-3", "-a", "archive", "--yes", "--timeout", "5"], "--watch is missing"],
    ] as const) {
      const { code, stdout, stderr } = await run([...args]);
      expect({ args, code, stdout, stderr }).toMatchObject({ args, code: 2, stdout: "" });
      expect(stderr).toContain(text);
    }
    expect((await org.get("/orders/NEVER")).status).toBe(404);
    expect((await org.get("/orders/A-3")).body).toMatchObject({ archived: false });
  });

  test("completion knows commands, options and their values", async () => {
    const complete = async (...words: string[]) => (await run(["__complete", ...words])).stdout.trim().split("\n");
    expect(await complete("ord")).toEqual(["orders"]);
    expect(await complete("orders", "li")).toEqual(["list"]);
    expect(await complete("orders", "list", "--tags-a")).toEqual(["--tags-all", "--tags-any"]);
    expect(await complete("orders", "list", "-o", "")).toEqual(["csv", "ids", "json", "ndjson", "table"]);
    for (const shell of ["bash", "zsh", "fish"])
      expect((await run(["completion", shell])).stdout).toContain("hub __complete");
  });
});

describe("records", () => {
  test("a list comes in every format", async () => {
    const list = async (...more: string[]) => (await run(["orders", "list", "--tags-any", "vip", ...more])).stdout;
    expect(lines(await list())).toMatchObject([{ number: "A-2" }, { number: "A-1" }]);
    expect(JSON.parse(await list("-o", "json"))).toMatchObject([{ number: "A-2" }, { number: "A-1" }]);
    expect(await list("-o", "csv", "--fields", "number,tags")).toBe("number,tags\nA-2,vip\nA-1,vip\n");
    expect(await list("-o", "table", "--fields", "number,status")).toBe(
      "NUMBER  STATUS\nA-2     ready\nA-1     ready\n",
    );
    expect((await list("-o", "ids")).trim().split("\n")).toHaveLength(2);
    expect(lines(await list("--limit", "1"))).toHaveLength(1);
    expect(lines(await list("--limit", "1", "--all", "--fields", "number"))).toEqual([
      { number: "A-2" },
      { number: "A-1" },
    ]);
  });

  test("control characters of a shop's data do not reach the terminal, nor formulas a spreadsheet", async () => {
    await org.post("/orders", { number: "EVIL", tags: ["evil"], customer: { name: "=1+1" } });
    const table = await run([
      "orders",
      "list",
      "--tags-any",
      "evil",
      "-o",
      "table",
      "--fields",
      "number,customer.name",
    ]);
    expect(table.stdout).toContain("EVIL");
    const csv = await run(["orders", "list", "--tags-any", "evil", "-o", "csv", "--fields", "customer.name"]);
    expect(csv.stdout).toBe("customer.name\n'=1+1\n");
  });

  test("writes on live need --yes without a terminal; records are created, changed and deleted", async () => {
    const refused = await run(["orders", "create", "--number", "B-1"]);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain("changes live data. Add --yes");
    expect((await org.get("/orders/B-1")).status).toBe(404);

    const file = path.join(folder, "order.json");
    writeFileSync(file, JSON.stringify({ number: "B-1", status: "draft", tags: ["from-file"] }));
    const made = await run(["orders", "create", "--data", `@${file}`, "--priority", "high", "--yes"]);
    expect(JSON.parse(made.stdout)).toMatchObject({ number: "B-1", priority: "high", tags: ["from-file"], version: 1 });
    const changed = await run(["orders", "update", "B-1", "--tags", "a,b", "--if-match", "1", "-y", "-o", "json"]);
    expect(JSON.parse(changed.stdout)).toMatchObject({ tags: ["a", "b"], version: 2 });
    const stale = await run(["orders", "update", "B-1", "--tags", "c", "--if-match", "1", "-y"]);
    expect(stale).toMatchObject({ code: 1, stdout: "" });
    expect(stale.stderr).toContain("version_mismatch");
    expect(await run(["orders", "delete", "B-1", "--yes"])).toMatchObject({ code: 0 });
  });

  test("files are imported and exported", async () => {
    const file = path.join(folder, "orders.csv");
    writeFileSync(file, "Order Number,SKU,Quantity\nCSV-1,MUG-11,2\n");
    const dry = await run(["orders", "import", "--file", file, "--dry-run", "--yes"]);
    expect(JSON.parse(dry.stdout)).toMatchObject({ dryRun: true });
    expect((await run(["orders", "export", "--tags-any", "vip"])).stdout).toContain("A-1");
    expect((await run(["orders", "import", "--file", "orders.pdf", "--yes"])).code).toBe(2);
  });

  test("any path can be called", async () => {
    const counts = await run(["api", "get", "/orders/counts", "-o", "json"]);
    expect(counts.code).toBe(0);
    const listed = await run(["api", "get", "orders", "-q", "tagsAny=vip", "-q", "limit=1", "-o", "json"]);
    expect(JSON.parse(listed.stdout)).toMatchObject({ data: [{ number: "A-2" }] });
    expect((await run(["api", "post", "/orders", "-f", "number=C-1"])).code).toBe(2);
    const made = await run(["api", "post", "/orders", "-f", "number=C-1", "--json", 'tags=["api"]', "-y"]);
    expect(JSON.parse(made.stdout)).toMatchObject({ number: "C-1", tags: ["api"] });
    const body = JSON.stringify({ order_ids: ["C-1"], actions: [{ type: "archive" }] });
    // A preflight reads, so it is not asked about.
    expect((await run(["api", "post", "/operations/preflight", "-d", "-"], { input: body })).code).toBe(0);
  });
});

describe("run", () => {
  const on = ["run", "--filter", "tagsAny=vip", "--filter", "status=ready"];

  test("a preflight shows what would happen, and changes nothing", async () => {
    const report = await run([...on, "--action", "set_priority:priority=high", "--preflight"]);
    expect(report).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(report.stdout)).toMatchObject({ verdict: "ready", summary: { orders: 2, ok: 2 } });
    const table = await run([...on, "-a", "set_priority:priority=high", "--preflight", "-o", "table"]);
    expect(table.stdout).toContain("Preflight: ready. 2 orders");
    const blocked = await run([
      "run",
      "--order",
      "A-1,A-4",
      "-a",
      "hold:reason=operator",
      "--preflight",
      "-o",
      "table",
    ]);
    expect(blocked.code).toBe(3);
    expect(blocked.stdout).toContain("invalid_state");
  });

  test("a run needs --yes on live, and its exit code says whether orders failed", async () => {
    expect((await run([...on, "-a", "set_priority:priority=high"])).code).toBe(2);
    const done = await run([...on, "-a", "set_priority:priority=high", "-a", "add_tags:tags=x,y", "--yes"]);
    expect(done.code).toBe(0);
    expect(done.stderr).toContain("Preflight: ready. 2 orders");
    expect(JSON.parse(done.stdout)).toMatchObject({ status: "succeeded", summary: { total: 2, succeeded: 2 } });
    expect((await org.get("/orders/A-1")).body).toMatchObject({ priority: "high", tags: ["vip", "x", "y"] });
    const failed = await run(["run", "--order", "A-4", "-a", "hold:reason=operator", "-y", "-o", "table"]);
    expect(failed.code).toBe(3);
    expect(failed.stdout).toMatch(/1 failed with invalid_state/);
  });

  test("a run that does not end in time ends the command with 6", async () => {
    // Nothing works on queued runs here.
    const { code, stderr } = await run([...on, "-a", "add_tags:tags=slow", "--watch", "--timeout", "0.5", "-y"]);
    expect({ code, stderr }).toMatchObject({ code: 6 });
    expect(stderr).toContain("gave up after 0.5 s");
  });
});

test("logs tail goes on after a restart of the hub, during which its proxy answers 502", async () => {
  let refused = 0;
  let isDown = false;
  const proxy = createServer((request, response) => {
    if (isDown) {
      refused++;
      response.writeHead(502).end();
      return;
    }
    const authorization = request.headers.authorization!;
    void fetch(hub.url + request.url!, { headers: { authorization } }).then(async (answer) => {
      response.writeHead(answer.status, { "content-type": "application/json" }).end(await answer.text());
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  afterFile(() => void proxy.close());
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const tail = startCommand(["logs", "tail", "--failed", "--count", "1"], {
    env: { ...env, XDG_CONFIG_HOME: configHome, HUB_URL: url },
  });
  await tail.printed("Waiting for requests");
  isDown = true;
  // More than the attempts of one call.
  await expect.poll(() => refused, { timeout: 40_000 }).toBeGreaterThan(5);
  isDown = false;
  await run(["orders", "get", "no-such-order"]);
  const { code, stdout } = await tail.ended;
  expect({ code, entries: lines(stdout) }).toMatchObject({ code: 0, entries: [{ code: "order_not_found" }] });
});

describe("failures", () => {
  test("have exit codes of their own", async () => {
    const missing = await run(["orders", "get", "nothing"]);
    expect(missing).toMatchObject({ code: 1, stdout: "" });
    // Title and detail are the same here, and are shown once.
    expect(missing.stderr).toMatch(/^hub orders get: Order not found\. \(order_not_found, request \S+\)\n$/);
    const invalid = await run(["orders", "create", "--number", "", "--yes"]);
    expect(invalid.code).toBe(1);
    expect(invalid.stderr).toContain("/number");
    expect(await run(["orders", "list"], { env: {} })).toMatchObject({ code: 4 });
    expect(await run(["orders", "list"], { env: { ...env, HUB_API_KEY: "ooh_live_wrong" } })).toMatchObject({
      code: 4,
    });
    const narrow = { ...env, HUB_API_KEY: await keyWith(["stock:read"]) };
    const denied = await run(["orders", "list"], { env: narrow });
    expect(denied).toMatchObject({ code: 4 });
    expect(denied.stderr).toContain("orders:read");
    const away = { ...env, HUB_URL: "http://127.0.0.1:9" };
    const unreachable = await run(["orders", "list"], { env: away });
    expect(unreachable.code).toBe(5);
    expect(unreachable.stderr).toContain("hub orders list: The hub at http://127.0.0.1:9 cannot be reached: ");
    expect(unreachable.stderr).toContain("It comes from --hub, HUB_URL or the profile");
  });
});

describe("login", () => {
  const home = makeConfigHome();
  const as = (args: string[], input = "") => runCommand(args, { env: { XDG_CONFIG_HOME: home }, input });
  const file = path.join(home, "order-operations-hub", "cli.json");
  const stored = () =>
    JSON.parse(readFileSync(file, "utf8")) as { current: string; profiles: Record<string, { keyId: string }> };

  test("a password becomes a key of 90 days without administration, in a file that only the user can read", async () => {
    const { email, password } = org.admin;
    const args = ["login", "--hub", hub.url, "--email", email, "--password-stdin"];
    expect(await as(args, `${password}\n`)).toMatchObject({ code: 0, stdout: "" });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, "utf8")).not.toContain(password);
    const me = JSON.parse((await as(["me", "get", "-o", "json"])).stdout) as { scopes: string[] };
    expect(me.scopes).toContain("audit:read");
    for (const scope of ["admin", "operations:override"]) expect(me.scopes).not.toContain(scope);
    const first = stored().profiles["live"]!.keyId;
    const keys = (await org.get("/api-keys")).body.data as { id: string; expiresAt: string }[];
    const days = (Date.parse(keys.find(({ id }) => id === first)!.expiresAt) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(89);
    expect(days).toBeLessThan(91);

    // A second sign-in replaces the key, and deletes the first one.
    expect(await as([...args, "--scopes", "orders:read"], password)).toMatchObject({ code: 0 });
    const left = ((await org.get("/api-keys")).body.data as { id: string }[]).map(({ id }) => id);
    expect(left).not.toContain(first);
    expect(left).toContain(stored().profiles["live"]!.keyId);
    expect(JSON.parse((await as(["me", "get", "-o", "json"])).stdout)).toMatchObject({ scopes: ["orders:read"] });
  });

  test("a wrong password stores nothing; users who are no administrators are asked for a key", async () => {
    const before = readFileSync(file, "utf8");
    const wrong = await as(["login", "--hub", hub.url, "--email", org.admin.email, "--password-stdin"], "not this one");
    expect(wrong.code).toBe(4);
    expect(readFileSync(file, "utf8")).toBe(before);
    expect((await as(["login", "--hub", hub.url, "--email", "x@example.com"])).code).toBe(2);
  });

  test("a given key is checked and stored under a name; the key of one hub is never sent to another", async () => {
    const key = await keyWith(["orders:read"]);
    expect(await as(["login", "--hub", hub.url, "--with-key", "--profile", "second"], key)).toMatchObject({ code: 0 });
    expect(stored().current).toBe("second");
    expect((await as(["orders", "list", "--limit", "1"])).code).toBe(0);
    expect((await as(["orders", "list", "--profile", "sceond"])).stderr).toContain("Did you mean second?");
    const elsewhere = await as(["orders", "list", "--hub", "http://127.0.0.1:9"]);
    expect(elsewhere.code).toBe(4);
    expect(elsewhere.stderr).toContain("not signed in for http://127.0.0.1:9");
    expect((await as(["orders", "list", "--hub", "http://127.0.0.1:9", "--profile", "second"])).code).toBe(2);
    expect((await as(["login", "--hub", hub.url, "--with-key"], "nonsense")).code).toBe(2);
    expect((await as(["logout"])).code).toBe(0);
    expect(stored().current).toBe("live");
    expect((await as(["logout", "--profile", "second"])).code).toBe(2);
  });
});
