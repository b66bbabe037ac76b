import type { ClientOptions, HttpClient } from "./outbound-request.ts";

/** What it takes to call out is loaded with the first call: a start should not pay for what it may never need. */
export function createHttpClient(options: ClientOptions): HttpClient {
  let client: Promise<HttpClient> | undefined;
  return {
    async request(request) {
      client ??= import("./outbound-client.ts").then(({ openHttpClient }) => openHttpClient(options));
      return await (await client).request(request);
    },
  };
}
