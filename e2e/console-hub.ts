import axe from "axe-core";
import { mkdirSync } from "node:fs";
import path from "node:path";
import type { Browser, BrowserContext, Download, Locator, Page } from "playwright-core";
import { chromium } from "playwright-core";
import { expect, inject } from "vitest";
import { readConsoleFrom } from "../server/src/http/console-files.ts";
import { afterFile } from "../server/src/testing/after-file.ts";
import type { TestHub, TestOrg } from "../server/src/testing/test-hub.ts";
import { startTestHub } from "../server/src/testing/test-hub.ts";
import { chores, startLocalWork, startOutboundWork } from "../server/src/worker/chores.ts";
import { startWorker } from "../server/src/worker/worker.ts";

const root = path.join(import.meta.dirname, "..");
const pictures = path.join(import.meta.dirname, "screenshots");

const open = new Set<Browser>();

/** A hub that serves the built console. */
export async function startConsoleHub(options: Parameters<typeof startTestHub>[0] = {}): Promise<TestHub> {
  const hub = await startTestHub({ ...options, console: readConsoleFrom(path.join(root, "console/dist")) });
  // Runs are asynchronous, so background work has to run.
  const workers = [startWorker(hub.world, chores), ...startLocalWork(hub.world), ...startOutboundWork(hub.world)];
  afterFile(() => Promise.all(workers.map((worker) => worker.stop())));
  // Browsers close before their hubs: a page that still loads would complain that its hub is gone.
  afterFile(() => Promise.all([...open].map((browser) => browser.close())));
  return hub;
}

export type Person = {
  page: Page;
  context: BrowserContext;
  /** Script errors, blocked styles and failed requests of the browser. */
  complaints: string[];
};

type Look = {
  colorScheme?: "light" | "dark";
  viewport?: { width: number; height: number };
  /** Accept 503 responses, which the page retries, in tests with high load. */
  mayBeBusy?: boolean;
};

/** Opens isolated browser contexts. Any complaint fails the test file. */
export async function openBrowser(): Promise<{ person(look?: Look): Promise<Person> }> {
  const browser = await chromium.connect(inject("browser"));
  const all: Person[] = [];
  open.add(browser);
  afterFile(async () => {
    await browser.close();
    open.delete(browser);
    expect(all.flatMap(({ complaints }) => complaints)).toEqual([]);
  });
  return {
    async person({ colorScheme = "light", viewport = { width: 1360, height: 900 }, mayBeBusy = false } = {}) {
      const context = await browser.newContext({ colorScheme, viewport, reducedMotion: "reduce" });
      // Only a failure waits as long; with other tests on a busy machine a page takes its time.
      context.setDefaultTimeout(60_000);
      const page = await context.newPage();
      const complaints = listen(page, mayBeBusy);
      const person = { page, context, complaints };
      all.push(person);
      return person;
    },
  };
}

const complaintsOf = new WeakMap<Page, string[]>();

/** The browser logs every API response that is not 2xx; those are expected in some tests. */
function listen(page: Page, mayBeBusy: boolean): string[] {
  const complaints: string[] = [];
  complaintsOf.set(page, complaints);
  page.on("pageerror", (error) => complaints.push(`${page.url()}: ${error.stack ?? error.message}`));
  page.on("console", (message) => {
    // Parts of a page that are first shown while a test has cut the connection are loaded later.
    const isOffline = message.text().includes("ERR_INTERNET_DISCONNECTED");
    const isAnswer =
      message.text().startsWith("Failed to load resource") &&
      (isOffline || message.location().url.includes("/api/v1/"));
    if (["error", "warning"].includes(message.type()) && !isAnswer) complaints.push(`${page.url()}: ${message.text()}`);
  });
  page.on("response", (response) => {
    // Streams reconnect, also while the hub stops at the end of a test.
    const isStream = response.url().includes("/api/v1/events/stream");
    const isBusy = response.status() === 503 && (isStream || (mayBeBusy && response.url().includes("/api/v1/")));
    if (response.status() >= 500 && !isBusy) complaints.push(`${response.status()} ${response.url()}`);
  });
  return complaints;
}

/** Signs in by the API. The sign-in form has its own journeys. */
export async function signIn(
  page: Page,
  { url }: Pick<TestHub, "url">,
  { email, password }: TestOrg["admin"],
  at = "/",
): Promise<void> {
  const { request } = page.context();
  const answer = await request.post(`${url}/api/v1/auth/session`, {
    data: { email, password },
    headers: { origin: url },
  });
  expect(answer.status()).toBeLessThan(300);
  await page.goto(url + at);
  await page.getByRole("navigation", { name: "Main" }).waitFor();
}

/** Holds the responses to GET requests of this path until `letGo`. */
export async function holdAnswers(page: Page, path: string): Promise<{ letGo(): Promise<void> }> {
  const released = Promise.withResolvers<void>();
  const isHeld = (url: URL): boolean => url.pathname === `/api/v1${path}`;
  const held: Promise<void>[] = [];
  await page.route(isHeld, async (route) => {
    const isRead = route.request().method() === "GET";
    const continued = (isRead ? released.promise : Promise.resolve()).then(() => route.continue());
    held.push(continued);
    await continued;
  });
  return {
    async letGo() {
      released.resolve();
      // Removing the handler continues what it holds; twice is an error.
      await Promise.all(held);
      await page.unroute(isHeld);
    },
  };
}

/** The file that a click on a print button downloads. One that takes more than some seconds waits for another click. */
export async function downloadAfter(button: Locator): Promise<Download> {
  const page = button.page();
  const late = page.getByRole("button", { name: /^Download [a-z-]+\.(pdf|zpl)$/ });
  let file: Download | undefined;
  page.once("download", (begun) => (file = begun));
  await button.click();
  await expect.poll(async () => file !== undefined || (await late.isVisible())).toBe(true);
  if (!file) await late.click();
  await expect.poll(() => file).toBeDefined();
  return file!;
}

/** Waits until keys go to this field: a dialog moves the focus a moment after it is shown. */
export async function waitForFocus(field: Locator): Promise<void> {
  await field.and(field.page().locator(":focus")).waitFor();
}

/** Counts clicks; typed values do not count. */
export function countClicks(): { click(what: Locator): Promise<void>; count(): number } {
  let clicks = 0;
  return {
    async click(what) {
      clicks++;
      await what.click();
    },
    count: () => clicks,
  };
}

/** All rules, the best practices such as unique landmarks included; only those that axe calls experimental are not. */
const all: axe.RunOptions = { runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"] };
const only = (...rules: string[]): axe.RunOptions => ({ runOnly: { type: "rule", values: rules } });
/** Dark mode changes only colors; a small screen changes visibility and layout. */
const rulesOf = {
  light: all,
  dark: only("color-contrast"),
  360: only("target-size", "button-name", "link-name", "scrollable-region-focusable", "aria-hidden-focus"),
};
const popover = "[role=dialog][data-side]";
/** Check only the first rows, which represent all. */
const rowsBeyond: axe.ElementContext = {
  exclude: ["[role=grid] [role=row]:nth-child(n+9)", "tbody > tr:nth-child(n+9)"],
};

/**
 * Expects no violation of WCAG 2.2 A or AA or of a best practice that axe can find. Injected once per page; the pages have no frames.
 */
async function expectAccessible(page: Page, name: string, as: keyof typeof rulesOf): Promise<void> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axe.source);
  const options: axe.RunOptions = { ...rulesOf[as], resultTypes: ["violations"] };
  // A popover covers much of a small screen, and the page below it counts as too small to touch.
  const isCovered = as === 360 && (await page.locator(popover).count()) > 0;
  const context: axe.ElementContext = isCovered ? { include: [popover] } : rowsBeyond;
  const violations = await page.evaluate<axe.Result[]>(
    `axe.run(${JSON.stringify(context)}, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  );
  const told = violations.map(({ id, help, nodes }) => {
    const shown = nodes.slice(0, 3).map((node) => `${node.html.slice(0, 160)} ${node.failureSummary ?? ""}`);
    return `${name} ${as}: ${id}: ${help}: ${shown.join(" | ")}`;
  });
  expect(told).toEqual([]);
}

/** Saves a screenshot to e2e/screenshots for review. Only when `PICTURES` is set: each takes half a second. */
export async function takeScreenshot(page: Page, name: string): Promise<void> {
  if (!process.env["PICTURES"]) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: path.join(pictures, `${name}.png`) });
}

/** Sets the color scheme and waits until it is painted. */
async function setColours(page: Page, colorScheme: "light" | "dark"): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
}

/** Expects no clipped card or tab row: clipped content could not be reached. */
async function expectNothingCut(page: Page, what: string): Promise<void> {
  const cut = await page.evaluate<string[]>(
    `[...document.querySelectorAll("main section, main nav")]
      .filter((part) => part.scrollHeight > part.clientHeight + 1 && getComputedStyle(part).overflowY !== "visible")
      .map((part) => part.getAttribute("aria-label") + ": " + part.clientHeight + " of " + part.scrollHeight + " px")`,
  );
  expect(cut, `${what} is cut`).toEqual([]);
}

/** Checks accessibility and layout in light, in dark and on a small screen. */
export async function checkPage(page: Page, name: string): Promise<void> {
  const size = page.viewportSize()!;
  // Data that is being replaced is dimmed and has less contrast. An event can start that at any time, also during the check.
  await page.evaluate(`(() => {
    const undimmed = new CSSStyleSheet();
    undimmed.replaceSync(".stale { opacity: 1 !important }");
    document.adoptedStyleSheets = [undimmed];
  })()`);
  await expect.poll(() => page.locator("main .stale").count()).toBe(0);
  for (const scheme of ["light", "dark"] as const) {
    await setColours(page, scheme);
    await expectAccessible(page, name, scheme);
    await takeScreenshot(page, `${name}-${scheme}`);
  }
  await expectNothingCut(page, name);
  await setColours(page, "light");
  await page.setViewportSize({ width: 360, height: 740 });
  await expectAccessible(page, name, 360);
  await takeScreenshot(page, `${name}-360`);
  const overflow = await page.evaluate<number>(
    "document.documentElement.scrollWidth - document.documentElement.clientWidth",
  );
  expect(overflow, `${name} is wider than 360 px`).toBeLessThanOrEqual(0);
  await page.setViewportSize(size);
  expect(complaintsOf.get(page)).toEqual([]);
}
