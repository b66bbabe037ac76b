import type * as Outbound from "./outbound-client.ts";
import type { ClientOptions, HttpClient } from "./outbound-request.ts";

let loading: Promise<typeof Outbound> | undefined;

/** The HTTP client is loaded with the first request, which makes the start of the hub faster. */
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
