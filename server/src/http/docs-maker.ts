import { parentPort } from "node:worker_threads";
import scalar from "@scalar/fastify-api-reference";
import Fastify from "fastify";
import type { MadePages } from "./docs-app.ts";

/** A thread that makes the API reference and its script, hands them over and ends. Started by docs-app.ts. */
const prefix = "/docs";
const app = Fastify();
await app.register(scalar, {
  routePrefix: prefix,
  configuration: {
    url: "/openapi.json",
    withDefaultFonts: false,
    telemetry: false,
    agent: { disabled: true },
  },
});

const pages: MadePages = new Map();

async function add(address: string): Promise<string> {
  const { statusCode, headers, rawPayload, payload } = await app.inject({ method: "GET", url: address });
  if (statusCode !== 200) throw new Error(`${address} of the API reference was answered ${statusCode}`);
  // A copy: a buffer from the pool cannot be transferred.
  pages.set(address, { type: headers["content-type"] ?? "text/html", bytes: new Uint8Array(rawPayload) });
  return payload;
}

const html = await add(`${prefix}/`);
for (const [, script] of html.matchAll(/<script src="([^"]+)"/g)) await add(`${prefix}/${script}`);

// The inline script becomes a file, so that the content security policy needs no 'unsafe-inline'. Nor does it need
// 'unsafe-eval': the reference only probes for it, and works without.
const inline = /<script type="text\/javascript">([\s\S]*?)<\/script>/;
const start = inline.exec(html)?.[1];
if (start === undefined)
  throw new Error("the API reference has no inline script any more: check its content security policy");
const page = html.replace(inline, '<script src="js/start.js"></script>');
pages.set(`${prefix}/`, { type: "text/html; charset=utf-8", bytes: new TextEncoder().encode(page) });
pages.set(`${prefix}/js/start.js`, {
  type: "application/javascript; charset=utf-8",
  bytes: new TextEncoder().encode(start),
});
parentPort!.postMessage(
  pages,
  Array.from(pages.values(), ({ bytes }) => bytes.buffer),
);
