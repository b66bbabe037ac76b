import { queryOptions } from "@tanstack/react-query";
import { hub } from "./hub.ts";

/** How one can sign in here. */
export const signInMethodsQuery = queryOptions({
  queryKey: ["auth", "methods"],
  queryFn: ({ signal }) => hub.call("GET /api/v1/auth/methods", { signal }),
  staleTime: Infinity,
});

const maxReturnAddress = 1_000;

/** Leaves this page for that of the identity provider, which sends the browser back. `reauthenticate`: it is to ask who one is. */
export async function goToIssuer(reauthenticate: boolean): Promise<void> {
  const { pathname, search, hash } = window.location;
  const here = pathname + search + hash;
  const returnTo = here.length <= maxReturnAddress ? here : pathname;
  const { url } = await hub.call("POST /api/v1/auth/oidc/sign-in", { body: { returnTo, reauthenticate } });
  window.location.assign(url);
}
