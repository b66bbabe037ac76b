import { readFile, stat } from "node:fs/promises";
import path from "node:path";

export type OsUser = { uid: number; gid: number };

/** PostgreSQL refuses to run as root; the user it runs as instead. Undefined if the hub does not run as root. */
export async function unprivilegedUser(): Promise<OsUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const passwd = await readFile("/etc/passwd", "utf8");
  const users = passwd.split("\n").map((line) => line.split(":"));
  for (const candidate of ["postgres", "nobody"]) {
    const fields = users.find(([name]) => name === candidate);
    if (fields) return { uid: Number(fields[2]), gid: Number(fields[3]) };
  }
  throw new Error(
    "PostgreSQL cannot run as root and this system has no user 'postgres' or 'nobody'. Set DATABASE_URL.",
  );
}

/** Whether this user can enter all folders down to `target`, as far as they exist. */
export async function canReach(user: OsUser, target: string): Promise<boolean> {
  const steps = path.resolve(target).split(path.sep);
  for (let depth = 1; depth <= steps.length; depth++) {
    const step = steps.slice(0, depth).join(path.sep) || path.sep;
    const info = await stat(step).catch(() => undefined);
    if (!info) return true;
    const bits = info.uid === user.uid ? info.mode >> 6 : info.gid === user.gid ? info.mode >> 3 : info.mode;
    if ((bits & 0o1) === 0) return false;
  }
  return true;
}
