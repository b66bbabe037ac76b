import type * as Outbound from "./outbound-client.ts";
import type { ClientOptions, HttpClient } from "./outbound-request.ts";

let loading: Promise<typeof Outbound> | undefined;

/** What it takes to call out is loaded with the first call: a start should not pay for what it may never need. */
export function createHttpClient(options: ClientOptions): HttpClient {
  let client: HttpClient | undefined;
  return {
    async request(request) {
      // Once for all clients: asking the loader again is no small thing where there is a client for each request.
      loading ??= import("./outbound-client.ts");
      client ??= (await loading).openHttpClient(options);
      return await client.request(request);
    },
  };
}
