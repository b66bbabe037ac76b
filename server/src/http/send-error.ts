import type { FastifyReply, FastifyRequest } from "fastify";
import { HubError } from "../core/errors.ts";
import type { Mount } from "./mount.ts";
import { formatFor } from "./mount.ts";
import { problemHeaders, toHubError, toProblem } from "./problem.ts";

export function sendError(mounts: Mount[], error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = toHubError(error);
  if (!known)
    request.log.error({ err: error, route: request.routeOptions?.url, requestId: request.id }, "unexpected error");
  const answer =
    known ??
    new HubError("internal_error", "The request failed. The log of the hub has the cause under this request ID.");
  request.problemCode = answer.code;
  // A client that is still sending would only see a reset. The rest of the body is read and discarded.
  if (answer.code === "body_too_large") reply.removeHeader("connection");
  const format = formatFor(mounts, request.url);
  return reply
    .code(answer.status)
    .headers({ ...problemHeaders(answer), "content-type": format.errorType })
    .send(JSON.stringify(format.error(toProblem(answer, request.id))));
}
