import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import packed, { inflate } from "@sparticuz/chromium";
import type { Browser, BrowserServer } from "playwright-core";
import { chromium } from "playwright-core";

/** Launches the browser that comes as a package. Any number of clients can connect to its address; each has its own contexts. */
export async function launchBrowser(): Promise<{ address: string; close(): Promise<void> }> {
  const folder = await mkdtemp(path.join(tmpdir(), "hub-browser-"));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  let server: BrowserServer;
  try {
    server = await launch(isPackedForUs ? await unpack(folder) : findInstalled());
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    address: server.wsEndpoint(),
    async close() {
      await server.close();
      await remove();
    },
  };
}

/** A client of a launched browser. */
export const connectBrowser = (address: string): Promise<Browser> => chromium.connect(address);

type Found = { executable: string; libraries?: string };

const isPackedForUs = process.platform === "linux" && process.arch === "x64";
/** The headless shell is first: it takes a third less time. */
const usualPlaces = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** The package has a build for Linux on x64 only. */
function findInstalled(): Found {
  const executable = usualPlaces.find((place) => existsSync(place));
  if (executable === undefined)
    throw new Error(
      `There is no packaged browser for this machine. Install Chromium; looked for: ${usualPlaces.join(", ")}`,
    );
  return { executable };
}

/** Unpacks into a folder of its own: the package would reuse anything in the temporary folder. */
async function unpack(folder: string): Promise<Found> {
  const before = process.env["TMPDIR"];
  process.env["TMPDIR"] = folder;
  try {
    const executable = await packed.executablePath();
    const home = path.dirname(createRequire(import.meta.url).resolve("@sparticuz/chromium"));
    const libraries = await inflate(path.join(home, "../bin/al2023.tar.br"));
    return { executable, libraries: path.join(libraries, "lib") };
  } finally {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  }
}

async function launch({ executable, libraries }: Found): Promise<BrowserServer> {
  const { HOME, PATH } = process.env;
  return await chromium.launchServer({
    executablePath: executable,
    host: "127.0.0.1",
    // Only loopback is reachable.
    args: ["--no-sandbox", "--disable-gpu", "--headless", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"],
    env: {
      ...(HOME ? { HOME } : {}),
      ...(PATH ? { PATH } : {}),
      ...(libraries === undefined ? {} : { LD_LIBRARY_PATH: libraries }),
      TZ: "America/New_York",
    },
  });
}
