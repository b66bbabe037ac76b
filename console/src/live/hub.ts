import type { Exchange } from "@order-operations-hub/sdk/client";
import { createClient } from "@order-operations-hub/sdk/client";
import { HubApiError, HubConnectionError } from "@order-operations-hub/sdk/problem";
import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { setConnection } from "./connection.ts";
import { recordExchange } from "./exchanges.ts";
import { requestStepUp } from "./step-up.ts";

function look(exchange: Exchange): void {
  recordExchange(exchange);
  const { error } = exchange;
  if (error instanceof HubConnectionError) setConnection("away");
  else if (error instanceof HubApiError && error.status === 401 && isSignedOut(error)) setConnection("signed-out");
  else if (exchange.status > 0 && exchange.status !== 401 && !isForAnybody(exchange)) setConnection("there");
}

/** Public endpoints: their success does not mean that the session is back. */
const isForAnybody = ({ url }: Exchange): boolean => url.startsWith("/api/v1/auth/");

/** A wrong password is also a 401, but does not end the session. */
const isSignedOut = ({ code }: HubApiError): boolean => code.endsWith("_token") || code === "invalid_session";

/**
 * Client of the hub that served this page. The session is a cookie, so the page holds no token. Writes during a restart are
 * retried with the same idempotency key or version until the hub is back.
 */
export const hub = createClient({ baseUrl: "", onExchange: look, onRefused: requestStepUp, maxOutageMs: 120_000 });

const retryLost = (failures: number, error: unknown): boolean => error instanceof HubConnectionError && failures < 1000;

export const queryClient = new QueryClient({
  queryCache: new QueryCache(),
  mutationCache: new MutationCache(),
  defaultOptions: {
    queries: {
      // The client has already retried three times. While the hub restarts, keep retrying and keep the data on screen.
      retry: retryLost,
      retryDelay: (failures) => Math.min(1000 * 2 ** failures, 10_000),
      staleTime: 5_000,
      networkMode: "always",
    },
    mutations: { networkMode: "always" },
  },
});
