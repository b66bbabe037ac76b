import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";

/** Error codes of npm without a way to the registry. Any other failure, such as an unknown version, fails the test. */
const unreachable =
  /\b(?:EAI_AGAIN|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|ETIMEDOUT|ERR_SOCKET_TIMEOUT)\b/;

/**
 * Installs packages from the npm registry into a folder, without their scripts. A text says why the registry cannot be reached.
 */
export async function installPackages(
  folder: string,
  packages: readonly string[],
  publishedBefore: string,
): Promise<string | undefined> {
  await writeFile(
    path.join(folder, "package.json"),
    JSON.stringify({ name: "foreign", type: "module", private: true }),
  );
  const options = ["--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retry-maxtimeout=10000"];
  const args = ["install", ...options, `--before=${publishedBefore}`, ...packages];
  try {
    await promisify(execFile)("npm", args, { cwd: folder, timeout: 900_000 });
    return undefined;
  } catch (error) {
    const { message } = error as Error;
    if (!unreachable.test(message)) throw error;
    return `${packages.join(", ")} cannot be installed, the npm registry is not reachable: ${message.slice(0, 500)}`;
  }
}
