import scalar from "@scalar/fastify-api-reference";
import Fastify from "fastify";
import type { MadeFiles } from "./docs-files.ts";
import { finishFile, handOver } from "./finish-file.ts";

/** A thread that makes the API reference and its script, hands them over and ends. Started by docs-files.ts. */
const prefix = "/docs/api";
const html = "text/html; charset=utf-8";
const javascript = "application/javascript; charset=utf-8";
const app = Fastify();
await app.register(scalar, {
  routePrefix: prefix,
  configuration: {
    url: "/openapi.json",
    withDefaultFonts: false,
    telemetry: false,
    // Services and tools of the vendor: they would send the document elsewhere.
    agent: { disabled: true },
    mcp: { disabled: true },
    showDeveloperTools: "never",
    hideClientButton: true,
  },
});

const files: MadeFiles = new Map();

async function get(address: string): Promise<{ payload: string; bytes: Uint8Array }> {
  const { statusCode, rawPayload, payload } = await app.inject({ method: "GET", url: address });
  if (statusCode !== 200) throw new Error(`${address} of the API reference was answered ${statusCode}`);
  return { payload, bytes: rawPayload };
}

const { payload: given } = await get(`${prefix}/`);
for (const [, script] of given.matchAll(/<script src="([^"]+)"/g)) {
  files.set(`${prefix}/${script}`, finishFile(javascript, (await get(`${prefix}/${script}`)).bytes));
}

/** Replaces what must be there: a new version of the package may write its page differently. */
function replaceIn(page: string, part: RegExp | string, replacement: string): string {
  const replaced = page.replace(part, () => replacement);
  if (replaced === page) throw new Error(`the page of the API reference has no ${String(part)} any more`);
  return replaced;
}

// The inline script becomes a file, so that the content security policy needs no 'unsafe-inline'. Nor does it need
// 'unsafe-eval': the reference only probes for it, and works without.
const inline = /<script type="text\/javascript">([\s\S]*?)<\/script>/;
const start = inline.exec(given)?.[1] ?? "";
const header =
  `<header class="to-docs"><a href="/docs/"><strong>Order Operations Hub</strong></a> ` +
  `<a href="/docs/guides/start">Start</a> <a href="/docs/action-reference">Actions</a> ` +
  `<a href="/docs/errors">Errors</a> <a href="/docs/events">Events</a></header>`;
// The reference keeps this much room free at the top of the window, and has the colours of its theme in these variables.
const style =
  `<style>:root{--scalar-custom-header-height:48px}` +
  `.to-docs{position:sticky;top:0;z-index:10;height:48px;box-sizing:border-box;display:flex;gap:20px;align-items:center;padding:0 16px;` +
  `font:14px system-ui,sans-serif;background:var(--scalar-background-1,#fff);border-bottom:1px solid var(--scalar-border-color,#e4e6ea);overflow-x:auto}` +
  `.to-docs a{color:var(--scalar-color-1,#16191d);text-decoration:none;white-space:nowrap}</style>`;
let page = replaceIn(given, inline, '<script src="js/start.js"></script>');
page = replaceIn(page, "<html>", '<html lang="en">');
page = replaceIn(page, /<title>.*<\/title>/, "<title>API reference - Order Operations Hub</title>");
page = replaceIn(page, "</head>", `${style}</head>`);
page = replaceIn(page, "<body>", `<body>${header}`);
files.set(`${prefix}/`, finishFile(html, page));
files.set(`${prefix}/js/start.js`, finishFile(javascript, start));
handOver(files);
