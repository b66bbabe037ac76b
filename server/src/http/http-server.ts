import type { ServerOptions } from "node:http";

/** For every port and socket that the application serves. */
export const httpServerOptions: ServerOptions = {
  // A request has to arrive completely within this time; otherwise a few slow senders would hold every connection.
  requestTimeout: 30_000,
  headersTimeout: 10_000,
  keepAliveTimeout: 65_000,
  // All connections that timed out since the last check are answered in one iteration of the event loop.
  connectionsCheckingInterval: 500,
  maxHeaderSize: 16_384,
  // Answered with a problem of ours instead.
  requireHostHeader: false,
};
