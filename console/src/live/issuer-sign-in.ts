import { queryOptions } from "@tanstack/react-query";
import { hub } from "./hub.ts";

/** Available sign-in methods. */
export const signInMethodsQuery = queryOptions({
  queryKey: ["auth", "methods"],
  queryFn: ({ signal }) => hub.call("GET /api/v1/auth/methods", { signal }),
  staleTime: Infinity,
});

const maxReturnAddress = 1_000;

/** Redirects to the identity provider. `reauthenticate`: force a new authentication there. */
export async function goToIssuer(reauthenticate: boolean): Promise<void> {
  const { pathname, search, hash } = window.location;
  const here = pathname + search + hash;
  const returnTo = here.length <= maxReturnAddress ? here : pathname;
  const { url } = await hub.call("POST /api/v1/auth/oidc/sign-in", { body: { returnTo, reauthenticate } });
  window.location.assign(url);
}
