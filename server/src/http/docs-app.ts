import type { FastifyInstance } from "fastify";
import Fastify from "fastify";

let docs: Promise<FastifyInstance> | undefined;

/** The API reference is 4 MB of script: it is loaded when somebody first opens /docs, not at every start. */
export function docsApp(): Promise<FastifyInstance> {
  docs ??= load();
  return docs;
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
