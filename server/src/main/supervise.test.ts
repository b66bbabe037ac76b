import { readFileSync } from "node:fs";
import { describe, expect, test, vi } from "vitest";
import { runHub, startHubProcess } from "../testing/hub-process.ts";
import { isRunning, isServing, postmasterOf } from "../testing/launch-hub.ts";
import { readyDataDir } from "../testing/ready-data-dir.ts";

const env = { HUB_AUTO_RESTART: "on", HUB_PREVIEW_PORT: "off" };
const soon = { timeout: 40_000, interval: 20 };

function childOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ")[0]);
}

describe.runIf(process.platform === "linux")("a supervised hub", () => {
  test("is restarted when it dies, and ends on request", async () => {
    const hub = await startHubProcess({ dataDir: await readyDataDir(), env });
    const first = childOf(hub.pid);
    const environment = readFileSync(`/proc/${first}/environ`, "utf8").split("\0");
    expect(environment.includes("MALLOC_TRIM_THRESHOLD_=4194304")).toBe(true);
    process.kill(first, "SIGKILL");
    await vi.waitUntil(() => hub.stdout().match(/^live /gm)?.length === 2, soon);
    expect(hub.stderr()).toMatch(/the hub died \(SIGKILL\) after \d+ s; starting it again in 1 s/);
    const url = [...hub.stdout().matchAll(/^live +(\S+)/gm)][1]![1]!;
    expect(await isServing(url)).toBe(true);
    const second = childOf(hub.pid);
    expect(await hub.stop()).toBe(0);
    expect(isRunning(second)).toBe(false);
    expect(postmasterOf(hub.dataDir)).toBeUndefined();
  });

  test("ends when its supervisor is gone", async () => {
    const hub = await startHubProcess({ dataDir: await readyDataDir(), env });
    const child = childOf(hub.pid);
    hub.send("SIGKILL");
    await vi.waitUntil(() => !isRunning(child), soon);
    expect(postmasterOf(hub.dataDir)).toBeUndefined();
  });

  test("is not restarted if it was asked to end", async () => {
    const hub = await startHubProcess({ dataDir: await readyDataDir(), env });
    process.kill(childOf(hub.pid), "SIGTERM");
    expect(await hub.exited).toBe(0);
  });

  test("is not restarted if it cannot start at all", async () => {
    const elsewhere = { ...env, HUB_HOST: "192.0.2.1" };
    const { code, stderr } = await runHub(["serve"], { dataDir: await readyDataDir(), env: elsewhere });
    expect(code).toBe(1);
    expect(stderr).toContain("is not an address of this machine");
    expect(stderr).not.toContain("starting it again");
  });
});
