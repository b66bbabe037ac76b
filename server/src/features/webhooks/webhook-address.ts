import type { FieldError } from "../../core/errors.ts";
import { HubError, validationFailed } from "../../core/errors.ts";
import { plainTextProblem } from "../../core/outbound/credential-address.ts";
import { checkUrl, refuseUnlistedHost } from "../../core/outbound/outbound-guard.ts";
import { RemoteError } from "../../core/remote-error.ts";
import { escapePointer } from "../../core/strict-json.ts";
import type { Ctx, World } from "../../context.ts";
import { findOutboundHosts } from "../organizations/organizations.ts";

/**
 * In the preview there is somebody to deliver to without calling anybody: `echo:200` takes everything, and `echo:503`
 * answers that. It is part of the process.
 */
const echo = /^echo:([2-5]\d\d)$/;

export function echoStatus(url: string): number | undefined {
  const status = echo.exec(url)?.[1];
  return status === undefined ? undefined : Number(status);
}

type Given = { url: string; headers: Record<string, string> };

/** Everything that is wrong with the address or the headers, as far as it can be told without calling. */
export async function checkAddress(ctx: Ctx, { url, headers }: Given): Promise<void> {
  const problem = await findUrlProblem(ctx, url);
  const hasHeaders = Object.keys(headers).length > 0;
  const plain = !problem && hasHeaders ? plainTextProblem(url, ctx.settings.outbound.allowPrivate) : undefined;
  const errors = [
    ...(problem ? [{ pointer: "/url", ...problem }] : []),
    ...(plain === undefined ? [] : [{ pointer: "/url", code: "https_required", message: plain }]),
    ...findHeaderProblems(headers),
  ];
  if (errors.length > 0) throw validationFailed(errors);
  refuseFromPreview(ctx, url);
}

async function findUrlProblem(ctx: Ctx, url: string): Promise<{ code: string; message: string } | undefined> {
  if (url.startsWith("echo:")) {
    if (ctx.environment === "preview" && echo.test(url)) return undefined;
    return { code: "invalid_url", message: "echo:200, with the status it shall answer, is for the preview." };
  }
  const { allowPrivate } = ctx.settings.outbound;
  try {
    const checked = checkUrl(url, allowPrivate);
    refusePlainHttp(checked, allowPrivate);
    refuseUnlistedHost(checked, await findOutboundHosts(ctx, ctx.orgId));
    return undefined;
  } catch (error) {
    if (error instanceof RemoteError) return { code: error.code, message: error.message };
    throw error;
  }
}

/** Also when it is sent: private addresses may have been allowed when the webhook was set up. */
export function refusePlainHttp(url: URL, allowPrivate: boolean): void {
  if (url.protocol === "https:" || allowPrivate) return;
  throw new RemoteError("https_required", "Events are delivered by https.");
}

/** What is in the preview must not reach anybody by accident. */
export function refuseFromPreview(
  { environment, settings }: Pick<World, "environment" | "settings">,
  url: string,
): void {
  if (environment === "live" || settings.outbound.allowFromPreview || echoStatus(url) !== undefined) return;
  const message = "The preview calls nobody outside. Use the address echo:200, or set HUB_PREVIEW_OUTBOUND.";
  throw new HubError("outbound_disabled_in_preview", message);
}

const maxHeaders = 20;
const headerName = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
const headerValue = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
/** Set by the hub, or by the transport. */
const reserved = new Set([
  "accept",
  "accept-encoding",
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "expect",
  "host",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "user-agent",
]);

function findHeaderProblems(headers: Record<string, string>): FieldError[] {
  const names = Object.keys(headers);
  const seen = new Set<string>();
  const errors = names.flatMap((name): FieldError[] => {
    const pointer = `/headers/${escapePointer(name)}`;
    const lower = name.toLowerCase();
    if (!headerName.test(name)) return [{ pointer, code: "header_name", message: "This is no name of a header." }];
    if (reserved.has(lower) || lower.startsWith("webhook-")) {
      return [{ pointer, code: "header_reserved", message: "This header is set by the hub itself." }];
    }
    if (seen.has(lower)) return [{ pointer, code: "header_twice", message: "This header is given twice." }];
    seen.add(lower);
    if (headerValue.test(headers[name]!)) return [];
    return [{ pointer, code: "header_value", message: "A header is plain ASCII, without blanks around it." }];
  });
  if (names.length <= maxHeaders) return errors;
  return [{ pointer: "/headers", code: "too_many", message: `At most ${maxHeaders} headers can be sent.` }, ...errors];
}
