import { createHash } from "node:crypto";
import { access, chmod, constants, mkdir, open, realpath, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { OsUser } from "./os-user.ts";
import { canReach, unprivilegedUser } from "./os-user.ts";
import { findPostgresBinaries } from "./postgres-binaries.ts";

const sharedFolder = "/var/lib/order-operations-hub";

/** Folders of an embedded cluster, and the user that PostgreSQL runs as. */
export type ClusterFiles = {
  user: OsUser | undefined;
  home: string;
  cluster: string;
  sockets: string;
  binaries: string;
};

/** For root, the cluster may have to be elsewhere: PostgreSQL's user cannot enter, for example, a checkout under /root. */
export async function findClusterFiles(givenDir: string): Promise<ClusterFiles> {
  await mkdir(givenDir, { recursive: true });
  await access(givenDir, constants.W_OK);
  // Resolved, so that one directory with two names is not taken for two clusters.
  const dataDir = await realpath(givenDir);
  const id = createHash("sha256").update(dataDir).digest("hex").slice(0, 12);
  const { home, user } = await findHome(dataDir, path.join(sharedFolder, id));
  const near = path.join(home, "run");
  // A socket path has at most 107 bytes; longer ones need a shorter folder.
  const sockets = Buffer.byteLength(near) <= 85 ? near : path.join(tmpdir(), `order-operations-hub-${id}`);
  await ownFolder(sockets, user);
  return {
    user,
    home,
    cluster: path.join(home, "postgres"),
    sockets,
    binaries: await findPostgresBinaries(user, home),
  };
}

/** An existing cluster keeps its folder and owner, even if permissions have changed since. */
async function findHome(dataDir: string, fallbackDir: string): Promise<Pick<ClusterFiles, "home" | "user">> {
  const fallback = await unprivilegedUser();
  if (!fallback) return { home: dataDir, user: undefined };
  for (const home of [dataDir, fallbackDir]) {
    const owner = await stat(path.join(home, "postgres")).catch(() => undefined);
    if (!owner) continue;
    const user = owner.uid === 0 ? fallback : { uid: owner.uid, gid: owner.gid };
    if (await canReach(user, home)) return { home, user };
    throw new Error(
      `PostgreSQL's user (${user.uid}) can no longer access ${home}, where its data is. Restore the permissions.`,
    );
  }
  if (await canReach(fallback, dataDir)) return { home: dataDir, user: fallback };
  await mkdir(fallbackDir, { recursive: true });
  // Independent of the umask, since PostgreSQL's user must reach its folder.
  for (const folder of [sharedFolder, fallbackDir]) await chmod(folder, 0o755);
  return { home: fallbackDir, user: fallback };
}

export async function ownFolder(folder: string, user: OsUser | undefined): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const rejection = new Error(`${folder} belongs to another user`);
  // Held open from the check to the change of its owner: in a shared temporary folder the name could be replaced by a link in
  // between, and root would give away another folder.
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW).catch(
    (error: NodeJS.ErrnoException) => {
      throw ["ENOTDIR", "ELOOP", "EACCES"].includes(error.code ?? "") ? rejection : error;
    },
  );
  try {
    const { uid } = await handle.stat();
    // Another user may have created the folder to read along.
    if (![process.getuid?.() ?? uid, user?.uid].includes(uid)) throw rejection;
    await handle.chmod(0o700);
    if (user) await handle.chown(user.uid, user.gid);
  } finally {
    await handle.close();
  }
}
