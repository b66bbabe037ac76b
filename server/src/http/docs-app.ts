import type { FastifyInstance } from "fastify";
import Fastify from "fastify";

type DocsPage = { type: string; bytes: Buffer };

let docs: Promise<FastifyInstance> | undefined;
/** Made once: every reader of a page shares its bytes, however slowly they take them. */
const pages = new Map<string, DocsPage>();

/** The API reference is 4 MB of script: it is loaded when somebody first opens /docs, not at every start. */
export async function docsPage(path: string): Promise<DocsPage | undefined> {
  const known = pages.get(path);
  if (known) return known;
  docs ??= load();
  const answer = await (await docs).inject({ method: "GET", url: path });
  if (answer.statusCode !== 200) return undefined;
  const page = { type: answer.headers["content-type"] ?? "text/html", bytes: answer.rawPayload };
  pages.set(path, page);
  return page;
}

async function load(): Promise<FastifyInstance> {
  const { default: scalar } = await import("@scalar/fastify-api-reference");
  const app = Fastify();
  await app.register(scalar, {
    routePrefix: "/docs",
    configuration: {
      url: "/openapi.json",
      withDefaultFonts: false,
      telemetry: false,
      agent: { disabled: true },
    },
  });
  await app.ready();
  return app;
}
