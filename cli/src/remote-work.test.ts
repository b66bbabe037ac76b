import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { verifyWebhook } from "../../sdk/src/webhooks.ts";
import { afterFile } from "../../server/src/testing/after-file.ts";
import { freePort } from "../../server/src/testing/free-port.ts";
import type { HubProcess } from "../../server/src/testing/hub-process.ts";
import { startHubProcess } from "../../server/src/testing/hub-process.ts";
import { readyDataDir } from "../../server/src/testing/ready-data-dir.ts";
import { makeConfigHome, runCommand, startCommand } from "./testing/command-process.ts";
import { triggers } from "./triggers.ts";

/** A developer at work: two profiles, and a hub with its background work that is restarted meanwhile. */
const admin = { email: "admin@hub.example", password: "correct horse battery" };
const env = { XDG_CONFIG_HOME: makeConfigHome() };
const run = (args: string[], input = "") => runCommand(args, { env, input });
const start = (args: string[]) => startCommand(args, { env });
const lines = (text: string) =>
  text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);

let dataDir: string;
let hub: HubProcess;

/** Its ports stay the same when it starts again. */
const ports = { HUB_PORT: String(await freePort()), HUB_PREVIEW_PORT: String(await freePort()) };

async function startHub(): Promise<HubProcess> {
  const settings = { HUB_ADMIN_EMAIL: admin.email, HUB_ADMIN_PASSWORD: admin.password };
  return await startHubProcess({ dataDir, env: { ...settings, ...ports } });
}

beforeAll(async () => {
  dataDir = await readyDataDir();
  hub = await startHub();
  for (const url of [hub.url, hub.previewUrl]) {
    const signedIn = await run(["login", "--hub", url, "--email", admin.email, "--password-stdin"], admin.password);
    expect(signedIn).toMatchObject({ code: 0, stdout: "" });
  }
});

/** Receives webhooks as a program under development would, and stops and starts at the same port. */
function makeReceiver() {
  const received: { type: string; number: string | undefined }[] = [];
  const refused: string[] = [];
  let secret = "";
  let status = 204;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      verifyWebhook(Buffer.concat(chunks), request.headers, secret)
        .then((event) => {
          const { items } = event.data as { items?: { number?: string }[] };
          received.push({ type: event.type, number: items?.[0]?.number });
        })
        .catch((error: Error) => refused.push(error.message))
        .finally(() => response.writeHead(status, { connection: "close" }).end());
    });
  });
  afterFile(() => void server.close());
  return {
    received,
    refused,
    use: (next: string) => (secret = next),
    answer: (next: number) => (status = next),
    listen: (port: number) =>
      new Promise<number>((resolve) =>
        server.listen(port, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)),
      ),
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

test("every type of trigger causes its event, in the preview only", async () => {
  const listed = lines((await run(["trigger"])).stdout).map(({ type }) => type);
  expect(listed).toEqual(Object.keys(triggers));
  for (const type of Object.keys(triggers)) {
    const { code, stdout, stderr } = await run(["trigger", type, "--profile", "preview"]);
    expect({ type, code, stderr }).toEqual({ type, code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({ type, specversion: "1.0" });
  }
  // The change is made: exit code 2 would mean that nothing was.
  const misspelled = await run(["trigger", "order.created", "--profile", "preview", "--fields", "type,subjct"]);
  expect(misspelled).toMatchObject({ code: 0, stdout: '{"type":"order.created"}\n' });
  expect(misspelled.stderr).toContain("The change was made. --fields");
  const live = await run(["trigger", "order.created", "--profile", "live"]);
  expect(live).toMatchObject({ code: 2, stdout: "" });
  expect(live.stderr).toContain("is live");
});

test("events are printed as they happen, until enough have come, the time is over or the user interrupts", async () => {
  const tail = start(["events", "tail", "--types", "order.created", "--count", "2"]);
  await tail.printed("Waiting for events");
  for (const number of ["T-1", "T-2"]) await run(["orders", "create", "--number", number, "--profile", "preview"]);
  const { code, stdout } = await tail.ended;
  expect(code).toBe(0);
  expect(lines(stdout)).toMatchObject([
    { type: "order.created", data: { items: [{ number: "T-1" }] } },
    { type: "order.created", data: { items: [{ number: "T-2" }] } },
  ]);
  const past = await run(["events", "tail", "--types", "order.created", "--since", "10m", "--count", "1", "-o", "ids"]);
  expect(past).toMatchObject({ code: 0 });
  expect((await run(["events", "tail", "--types", "location.deleted", "--timeout", "0.5"])).code).toBe(6);
  const endless = start(["events", "tail", "--types", "location.deleted"]);
  await endless.printed("Waiting for events");
  endless.interrupt();
  expect((await endless.ended).code).toBe(130);
});

test("requests are printed as they happen, without those of the command itself", async () => {
  const tail = start(["logs", "tail", "--failed", "--count", "1", "--profile", "live"]);
  await tail.printed("Waiting for requests");
  await run(["orders", "get", "no-such-order", "--profile", "live"]);
  const { code, stdout } = await tail.ended;
  expect(code).toBe(0);
  expect(lines(stdout)).toMatchObject([
    { method: "GET", route: "/api/v1/orders/:id", status: 404, code: "order_not_found" },
  ]);
});

test("a run can be followed to its end", async () => {
  await run(["orders", "create", "--number", "W-1", "--status", "ready", "--tags", "watched", "--profile", "preview"]);
  const { code, stdout, stderr } = await run([
    "run",
    "--filter",
    "tagsAny=watched",
    "-a",
    "add_tags:tags=done",
    "--watch",
  ]);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(stderr).toMatch(/Preflight: ready\. 1 order: 1 ok\..*\nRun \S+ started\.\n/);
  expect(JSON.parse(stdout)).toMatchObject({ status: "succeeded", summary: { succeeded: 1 } });
  const { id } = JSON.parse(stdout) as { id: string };
  const watched = lines((await run(["operations", "runs", "watch", id])).stdout);
  expect(watched.at(-1)).toMatchObject({ id, status: "succeeded" });
});

describe("listen", () => {
  test("forwards signed events in order, across a closed port and a restart of the hub, each once", async () => {
    const receiver = makeReceiver();
    const port = await receiver.listen(await freePort());
    const secret = (await run(["listen", "--print-secret", "--profile", "preview"])).stdout.trim();
    expect(secret).toMatch(/^whsec_/);
    expect((await run(["listen", "--print-secret", "--profile", "preview"])).stdout.trim()).toBe(secret);
    receiver.use(secret);
    const listener = start([
      "listen",
      "--forward-to",
      `127.0.0.1:${port}/hook`,
      "--types",
      "order.created",
      "--count",
      "4",
    ]);
    await listener.printed("Forwarding events");
    await listener.printed(secret);
    const create = (number: string) => run(["orders", "create", "--number", number, "--profile", "preview"]);

    await create("L-1");
    await listener.printed(/"status":204/);
    await receiver.close();
    await create("L-2");
    await listener.printed("Nothing listens at");
    await receiver.listen(port);
    await listener.printed(/"status":204[^]*"status":204/);

    expect(await hub.stop()).toBe(0);
    hub = await startHub();
    // Failures of the receiver are reported and not repeated.
    receiver.answer(500);
    await create("L-3");
    await listener.printed(/"error":"HTTP 500"/);
    receiver.answer(204);
    await create("L-4");
    const { code, stdout } = await listener.ended;
    expect(code).toBe(0);
    expect(receiver.refused).toEqual([]);
    expect(receiver.received).toEqual(
      ["L-1", "L-2", "L-3", "L-4"].map((number) => ({ type: "order.created", number })),
    );
    expect(lines(stdout).map(({ status }) => status)).toEqual([204, 204, 500, 204]);
  });

  test("goes on with new events after the preview was reset", async () => {
    const tail = start(["events", "tail", "--types", "order.created"]);
    await tail.printed("Waiting for events");
    expect(await run(["preview", "reset", "--profile", "preview"])).toMatchObject({ code: 0 });
    await tail.printed("The log of events was replaced");
    await run(["orders", "create", "--number", "AFTER-RESET", "--profile", "preview"]);
    // Demo orders that were created in between may come before it.
    await tail.printed('"AFTER-RESET"');
    tail.interrupt();
    expect((await tail.ended).code).toBe(130);
  });
});

describe("the guides", () => {
  const root = path.join(import.meta.dirname, "../..");
  const blocksOf = (page: string, language: string) =>
    [
      ...readFileSync(path.join(root, "docs", page), "utf8").matchAll(
        new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, "gms"),
      ),
    ].map(([, code]) => code!);
  const folder = makeConfigHome();

  /** As pasted into a shell that has the command and the profile of the preview. */
  async function paste(page: string) {
    mkdirSync(path.join(folder, "bin"), { recursive: true });
    const shim = path.join(folder, "bin", "hub");
    writeFileSync(shim, `#!/bin/sh\nexec "${process.execPath}" "${path.join(root, "cli/bin/hub.js")}" "$@"\n`, {
      mode: 0o755,
    });
    const script = ["set -euo pipefail", `PATH="${path.join(folder, "bin")}:$PATH"`, ...blocksOf(page, "bash")].join(
      "\n",
    );
    return await runCommand(["--norc", "-c", script], {
      env: { ...env, HUB_PROFILE: "preview" },
      command: ["bash"],
      patienceMs: 200_000,
    });
  }

  test("of the command: every example runs", async () => {
    const ended = await paste("cli.md");
    expect({ ...ended }).toEqual({ ...ended, code: 0 });
    const { stdout } = ended;
    expect(stdout).toContain("CLI-1");
    expect(stdout).toContain("Preflight: ready");
    expect(stdout).toContain('{"status":"succeeded"}');
    expect(stdout).toContain('"type":"order.updated"');
  });

  test("of integration tests: by hand, and the test in TypeScript", async () => {
    const byHand = await paste("integration-tests.md");
    expect({ ...byHand }).toEqual({ ...byHand, code: 0 });
    expect(byHand.stdout).toMatch(/order\.hold_released.*\n\{"onHold":false\}/);

    const modules = path.join(folder, "node_modules/@order-operations-hub");
    mkdirSync(modules, { recursive: true });
    symlinkSync(path.join(root, "sdk"), path.join(modules, "sdk"));
    const [example = ""] = blocksOf("integration-tests.md", "ts");
    const file = path.join(folder, "orders.test.ts");
    writeFileSync(file, example);
    const key = (
      JSON.parse(readFileSync(path.join(env.XDG_CONFIG_HOME, "order-operations-hub/cli.json"), "utf8")) as Stored
    ).profiles["preview"]!.apiKey;
    const ended = await runCommand(["--conditions=hub-source", file], {
      env: { HUB_URL: hub.previewUrl, HUB_API_KEY: key },
      command: [process.execPath],
    });
    expect(ended).toEqual({ code: 0, stdout: expect.stringMatching(/pass 1\n/) as string, stderr: "" });
  });
});

type Stored = { profiles: Record<string, { apiKey: string }> };
