import type { Exchange } from "@order-operations-hub/sdk/client";
import { createClient } from "@order-operations-hub/sdk/client";
import { HubApiError, HubConnectionError } from "@order-operations-hub/sdk/problem";
import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { setConnection } from "./connection.ts";
import { recordExchange } from "./exchanges.ts";
import { askForProof } from "./proof.ts";

function look(exchange: Exchange): void {
  recordExchange(exchange);
  const { error } = exchange;
  if (error instanceof HubConnectionError) setConnection("away");
  else if (error instanceof HubApiError && error.status === 401 && isSignedOut(error)) setConnection("signed-out");
  else if (exchange.status > 0 && exchange.status !== 401 && !isForAnybody(exchange)) setConnection("there");
}

/** Answered whether or not somebody is signed in: it does not tell that the session is back. */
const isForAnybody = ({ url }: Exchange): boolean => url.startsWith("/api/v1/auth/");

/** A wrong password is a 401 too, but no end of a session. */
const isSignedOut = ({ code }: HubApiError): boolean => code.endsWith("_token") || code === "invalid_session";

/**
 * The hub that this page came from. The session is a cookie: no token is ever in the page. What is saved while the hub restarts is
 * sent again until it is back, under the same key or for the same version.
 */
export const hub = createClient({ baseUrl: "", onExchange: look, onRefused: askForProof, maxOutageMs: 120_000 });

const retryLost = (failures: number, error: unknown): boolean => error instanceof HubConnectionError && failures < 1000;

export const queryClient = new QueryClient({
  queryCache: new QueryCache(),
  mutationCache: new MutationCache(),
  defaultOptions: {
    queries: {
      // The client has tried three times by then. A hub that restarts is waited for, with what is known in sight.
      retry: retryLost,
      retryDelay: (failures) => Math.min(1000 * 2 ** failures, 10_000),
      staleTime: 5_000,
      networkMode: "always",
    },
    mutations: { networkMode: "always" },
  },
});
