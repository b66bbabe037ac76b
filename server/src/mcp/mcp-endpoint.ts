import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { HubError } from "../core/errors.ts";
import { makeOnce } from "../core/make-once.ts";
import { Type } from "../core/type.ts";
import type { World } from "../context.ts";
import { mcpHeader } from "../http/admission-hook.ts";
import type { PageLimits } from "../http/http-app.ts";
import type { Mount } from "../http/mount.ts";
import { defineRoute } from "../route.ts";
import type { SendRequest } from "./route-call.ts";
import { toolsFor } from "./tool.ts";
import { createTools } from "./tool-list.ts";

type McpOptions = {
  limits: PageLimits;
  /** The API that tools call. */
  api: Mount;
  /** Origins of pages that may call it, besides the hub's own. */
  corsOrigins: readonly string[];
};

const path = "/mcp";
/** A call of a tool is short; a body of many values would be left to a worker process, which has no tools. */
const maxBodyBytes = 256 * 1024;

/** Not in the list of routes: its messages are of another protocol, and every tool is a route of that list. */
const endpoint = defineRoute("POST /mcp", {
  name: "mcp.run",
  scope: "any",
  summary: "Serve the Model Context Protocol",
  isOpenToAgents: true,
  offloadFromBytes: Infinity,
  offloadFromItems: Infinity,
  answer: [200, Type.Unknown()],
  handle: () => Promise.reject(new Error("served by addMcp")),
});

/** `POST /mcp`: the Model Context Protocol over streamable HTTP. */
export function addMcp(app: FastifyInstance, world: World, { limits, api, corsOrigins }: McpOptions): void {
  const tools = makeOnce(async () => createTools(api.routes, api.prefix));
  const { oidc } = world.settings;
  const metadataPath = oidc?.audience === undefined ? undefined : `/.well-known/oauth-protected-resource${path}`;
  // 34 MB and a tenth of a second: most hubs never need it.
  const loadServer = makeOnce(async () => await import("./mcp-server.ts"));

  app.route({
    method: "POST",
    url: path,
    bodyLimit: maxBodyBytes,
    config: { takesCsv: false, takesAnyBody: false, isLogged: false },
    onRequest: [
      async (request: FastifyRequest) => refuseForeignCaller(request, corsOrigins),
      limits.admitTo(endpoint, maxBodyBytes),
    ],
    // Where a client without a token finds the identity provider.
    onSend: async ({ publicOrigin }, reply) => {
      if (metadataPath === undefined || reply.statusCode !== 401) return;
      const challenge = String(reply.getHeader("www-authenticate"));
      reply.header("www-authenticate", `${challenge}, resource_metadata="${publicOrigin}${metadataPath}"`);
    },
    handler: async (request, reply) => {
      const { body, principal } = request;
      if (typeof body !== "object" || body === null || Array.isArray(body) || principal === undefined)
        throw new HubError(
          "malformed_request",
          "Send one JSON-RPC message of at most 5,000 values; batches are not supported.",
        );
      const { serveMcp } = await loadServer();
      const response = await serveMcp(toWebRequest(request), body, {
        tools: toolsFor(await tools(), principal),
        caller: { ...world, principal, send: createSender(app, request, limits.mcpToken) },
        onError: (err) => world.log.warn({ err, requestId: request.id }, "an MCP message failed"),
      });
      return await sendWebResponse(reply, response);
    },
  });

  app.route({
    method: ["GET", "DELETE"],
    url: path,
    onRequest: async (request, reply) => limits.admit(request, reply),
    handler: async () => {
      throw new HubError("method_not_allowed", "The endpoint is stateless: messages are sent with POST.", {
        headers: { allow: "POST" },
      });
    },
  });

  // RFC 9728, for clients that sign users in through the identity provider.
  if (oidc === undefined || metadataPath === undefined) return;
  app.get(metadataPath, {
    onRequest: async (request, reply) => limits.admit(request, reply),
    handler: async ({ publicOrigin }) => ({
      resource: `${publicOrigin}${path}`,
      authorization_servers: [oidc.issuer],
      bearer_methods_supported: ["header"],
    }),
  });
}

/**
 * A page of another origin must not use the hub through a browser that can reach it, and a cookie is not a consent to act through an
 * assistant.
 */
function refuseForeignCaller({ headers, publicOrigin }: FastifyRequest, corsOrigins: readonly string[]): void {
  const { origin, authorization } = headers;
  if (origin !== undefined && origin !== publicOrigin && !corsOrigins.includes(origin))
    throw new HubError(
      "cross_origin_request",
      `Pages of ${origin.slice(0, 200)} cannot use MCP; see HUB_CORS_ORIGINS.`,
    );
  if (authorization === undefined)
    throw new HubError("missing_token", "Send `Authorization: Bearer <API key or access token>`.");
}

function toWebRequest({ headers, publicOrigin }: FastifyRequest): Request {
  const names = Object.keys(headers).filter((name) => /^(accept|content-type|mcp-.*)$/.test(name));
  return new Request(`${publicOrigin}${path}`, {
    method: "POST",
    headers: names.map((name): [string, string] => [name, String(headers[name])]),
  });
}

/** Short: one message of JSON, or the stream of one event that older clients get. */
async function sendWebResponse(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  const type = response.headers.get("content-type");
  if (type !== null) reply.header("content-type", type);
  return reply.code(response.status).send(await response.text());
}

/** Requests of tools do not leave the process, and carry the caller's own token. */
function createSender(app: FastifyInstance, outer: FastifyRequest, mcpToken: string): SendRequest {
  const { authorization, host, "user-agent": userAgent } = outer.headers;
  return async ({ method, path: url, headers, body }) => {
    const response = await app.inject({
      method: method as "GET" | "POST" | "PATCH" | "PUT" | "DELETE",
      url,
      remoteAddress: outer.ip,
      headers: {
        ...headers,
        authorization,
        host,
        [mcpHeader]: mcpToken,
        ...(userAgent === undefined ? {} : { "user-agent": userAgent }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { payload: body }),
    });
    const parsed: unknown = response.body === "" ? undefined : JSON.parse(response.body);
    return { status: response.statusCode, body: parsed };
  };
}
