import { randomBytes } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { open } from "node:fs/promises";
import type { FastifyReply, FastifyRequest } from "fastify";
import { HubError } from "../core/errors.ts";
import { chooseEncoding } from "./compress-answers.ts";
import type { BuiltConsole, ConsoleFile, ReadConsole } from "./console-files.ts";
import { renderPage } from "./render-page.ts";

export type ConsoleSite = {
  /** Whether the console answers a GET that no route matches. */
  takes(request: FastifyRequest): boolean;
  answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
};

/** These keep their JSON 404: a program must not mistake a page for a response. */
const apiPaths = /^\/(?:api|v1|docs)(?:\/|$)/;
/** Names contain a content hash: an old one is a 404, not the page. */
const assets = /^\/assets\//;

/** Content security policy: own resources only. Styles that scripts insert carry the nonce. */
function contentPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    // Pictures of items are shown from the shop's own hosts.
    "img-src 'self' data: blob: https:",
    "font-src 'self'",
    "connect-src 'self'",
    // A label is printed from a frame that shows the PDF.
    "frame-src blob:",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join("; ");
}

export function createConsoleSite(readConsole: ReadConsole): ConsoleSite {
  return {
    takes: ({ method, url }) => (method === "GET" || method === "HEAD") && !apiPaths.test(url.split("?", 1)[0]!),
    async answer(request, reply) {
      const path = request.url.split("?", 1)[0]!;
      const built = await readConsole();
      const file = built?.files.get(path);
      if (file) return await sendFile(request, reply, file);
      const wantsPage = path === "/" || path === "/index.html" || request.headers.accept?.includes("text/html");
      if (!wantsPage || assets.test(path)) throw new HubError("route_not_found", `There is no route GET ${path}.`);
      return sendPage(reply, built);
    },
  };
}

function sendPage(reply: FastifyReply, built: BuiltConsole | undefined): FastifyReply {
  const nonce = randomBytes(16).toString("base64");
  reply.headers({
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": contentPolicy(nonce),
    "cross-origin-opener-policy": "same-origin",
  });
  if (built) return reply.send(built.page.replaceAll("__NONCE__", nonce));
  const body =
    `<p>Run this command in the folder of the hub, then reload this page:</p><pre><code>npm run build</code></pre>` +
    `<p>The API works without the console: <a href="/docs/">documentation</a>.</p>`;
  const page = renderPage("The console is not built", body, { nonce });
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
  // The stream closes the file at its end and when the client disconnects.
  return reply.send(handle.createReadStream());
}

/** The file is gone when a build replaced it between the lookup and now. */
async function openFile(path: string): Promise<FileHandle> {
  try {
    return await open(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw new HubError("route_not_found", "The console was rebuilt; reload the page.");
  }
}
