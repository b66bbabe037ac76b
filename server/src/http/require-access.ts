import type { Principal } from "../core/actor.ts";
import { HubError } from "../core/errors.ts";
import { hasScope } from "../core/scopes.ts";
import type { Route } from "../route.ts";

export function requireScope(route: Route, principal: Principal): void {
  const { scope } = route;
  if (scope === "public") return;
  if (principal.mustEnrollTotp && !route.beforeEnrollment) {
    const how = "POST /api/v1/me/totp, then POST /api/v1/me/totp/confirm";
    throw new HubError("totp_enrollment_required", `Set up an authenticator app first: ${how}.`, {
      extra: { how },
    });
  }
  if (scope === "any" || hasScope(principal.scopes, scope)) return;
  if (scope === "admin") throw new HubError("admin_required");
  throw new HubError("insufficient_scope", `The token does not have the scope ${scope}.`, {
    extra: { required: [scope], granted: [...principal.scopes] },
  });
}

/**
 * An agent key reads directly. Its changes go through MCP, whose tools show the effect before they carry it out: an instruction that the
 * assistant found in a record cannot skip that step.
 */
export function requireAgentAccess(route: Route, { agent }: Principal, isThroughMcp: boolean): void {
  if (!agent || isThroughMcp || route.method === "GET" || route.isReadOnly || route.isOpenToAgents) return;
  const how = "Use the tools of POST /mcp, or POST /operations/run with a preflight_token";
  throw new HubError("agent_key_restricted", `${how}.`, { extra: { how } });
}

const stepUpMs = 15 * 60_000;

/** A token of a user may have been stolen from an unattended browser; an API key has no second factor to ask for. */
export function requireStepUp({ stepUp }: Route, principal: Principal, now: Date): void {
  if (stepUp === undefined || principal.actor.type !== "user") return;
  if (stepUp === "if required" && !principal.needsStepUp) return;
  if (principal.authenticatedAt && now.getTime() - principal.authenticatedAt.getTime() < stepUpMs) return;
  const how =
    principal.sessionId === undefined || principal.isFromIdentityProvider
      ? "sign in at the identity provider again"
      : "POST /api/v1/auth/step-up";
  throw new HubError("step_up_required", `Re-authenticate, then repeat the request: ${how}.`, {
    extra: { how },
  });
}
