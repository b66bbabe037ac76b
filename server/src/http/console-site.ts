import { randomBytes } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { open } from "node:fs/promises";
import type { FastifyReply, FastifyRequest } from "fastify";
import { HubError } from "../core/errors.ts";
import { chooseEncoding } from "./compress-answers.ts";
import type { BuiltConsole, ConsoleFile } from "./console-files.ts";
import { renderPage } from "./render-page.ts";

/** What there is to serve: the console, or why there is none yet. */
export type ConsoleState =
  | { is: "ready"; built: BuiltConsole }
  | { is: "building" }
  /** It is not built by itself. */
  | { is: "not built"; why: string };

export type ConsoleSite = {
  /** Whether a GET that no route takes is one for the console. */
  takes(request: FastifyRequest): boolean;
  answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
};

/** They have addresses of their own, also those that nobody has: a program must not take a page for an answer. */
const notOurs = /^\/(?:api|v1|docs)(?:\/|$)/;
/** Named by what is in them. An old name is gone, not another page. */
const assets = /^\/assets\//;
const reloadSeconds = 2;

/** What a page of the console may load: nothing that is not the hub's own. Styles that scripts make carry the nonce. */
function contentPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join("; ");
}

export function createConsoleSite(look: () => Promise<ConsoleState>): ConsoleSite {
  return {
    takes: ({ method, url }) => (method === "GET" || method === "HEAD") && !notOurs.test(url.split("?", 1)[0]!),
    async answer(request, reply) {
      const path = request.url.split("?", 1)[0]!;
      const state = await look();
      const file = state.is === "ready" ? state.built.files.get(path) : undefined;
      if (file) return await sendFile(request, reply, file);
      const wantsPage = path === "/" || path === "/index.html" || request.headers.accept?.includes("text/html");
      if (!wantsPage || assets.test(path)) throw new HubError("route_not_found", `There is no route GET ${path}.`);
      return sendPage(reply, state);
    },
  };
}

function sendPage(reply: FastifyReply, state: ConsoleState): FastifyReply {
  const nonce = randomBytes(16).toString("base64");
  reply.headers({
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": contentPolicy(nonce),
    "cross-origin-opener-policy": "same-origin",
  });
  if (state.is === "ready") return reply.send(state.built.page.replaceAll("__NONCE__", nonce));
  const links = `<p>The API answers meanwhile: <a href="/docs/">its reference</a>.</p>`;
  if (state.is === "building") {
    const head = `<meta http-equiv="refresh" content="${reloadSeconds}">`;
    const body = `<p>The console is being built. That takes some seconds after an upgrade; this page comes again by itself.</p>`;
    const page = renderPage("One moment", body + links, { head, nonce });
    return reply.code(503).header("retry-after", String(reloadSeconds)).send(page);
  }
  const how = `<p>To build it, run this in the folder of the hub, and load this page again:</p><pre><code>npm run build</code></pre>`;
  const page = renderPage("The console is not built", `<p>${state.why}</p>${how}${links}`, { nonce });
  return reply.code(503).send(page);
}

async function sendFile(request: FastifyRequest, reply: FastifyReply, file: ConsoleFile): Promise<FastifyReply> {
  const wanted = chooseEncoding(request.headers["accept-encoding"] ?? "");
  const encoding = wanted !== undefined && file.encodings.has(wanted) ? wanted : undefined;
  const ending = { br: ".br", gzip: ".gz" } as const;
  const handle = await openFile(encoding === undefined ? file.path : file.path + ending[encoding]);
  try {
    const { size } = await handle.stat();
    reply.headers({
      "content-type": file.type.startsWith("text/") ? `${file.type}; charset=utf-8` : file.type,
      "content-length": String(size),
      "cache-control": file.isImmutable ? "public, max-age=31536000, immutable" : "no-cache",
      vary: "accept-encoding",
      ...(encoding === undefined ? {} : { "content-encoding": encoding }),
    });
  } catch (error) {
    await handle.close();
    throw error;
  }
  if (request.method === "HEAD") {
    await handle.close();
    return reply.send();
  }
  // Closes the file at its end, and when nobody reads it any more.
  return reply.send(handle.createReadStream());
}

/** Another build may have taken its place in this moment. */
async function openFile(path: string): Promise<FileHandle> {
  try {
    return await open(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw new HubError("route_not_found", "There was another build of the console. Load the page again.");
  }
}
