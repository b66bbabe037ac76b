import type { FieldError } from "../../core/errors.ts";
import { HubError, validationFailed } from "../../core/errors.ts";
import { plainTextProblem } from "../../core/outbound/credential-address.ts";
import { checkUrl, refuseUnlistedHost } from "../../core/outbound/outbound-guard.ts";
import { RemoteError } from "../../core/remote-error.ts";
import { escapePointer } from "../../core/strict-json.ts";
import type { Ctx, World } from "../../context.ts";
import { findOutboundHosts } from "../organizations/organizations.ts";

/**
 * Endpoint of the preview inside the process: `echo:200` accepts every event, `echo:503` responds with status 503.
 */
const echo = /^echo:([2-5]\d\d)$/;

export function echoStatus(url: string): number | undefined {
  const status = echo.exec(url)?.[1];
  return status === undefined ? undefined : Number(status);
}

type Given = { url: string; headers: Record<string, string> };

/** Checks the URL and the headers without sending a request. */
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
    return { code: "invalid_url", message: "echo:<status>, such as echo:200, is available in the preview only." };
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

/** Checked for each request as well: private addresses may have been allowed when the webhook was created. */
export function refusePlainHttp(url: URL, allowPrivate: boolean): void {
  if (url.protocol === "https:" || allowPrivate) return;
  throw new RemoteError("https_required", "Webhook URLs must use https.");
}

/** Data of the preview must not leave the hub by accident. */
export function refuseFromPreview(
  { environment, settings }: Pick<World, "environment" | "settings">,
  url: string,
): void {
  if (environment === "live" || settings.outbound.allowFromPreview || echoStatus(url) !== undefined) return;
  const message = "The preview sends no requests outside. Use the URL echo:200, or set HUB_PREVIEW_OUTBOUND.";
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
    if (!headerName.test(name))
      return [{ pointer, code: "invalid_header_name", message: "This is not a valid header name." }];
    if (reserved.has(lower) || lower.startsWith("webhook-")) {
      return [{ pointer, code: "reserved_header", message: "This header is set by the hub." }];
    }
    if (seen.has(lower))
      return [{ pointer, code: "duplicate_header", message: "This header occurs twice; names are case-insensitive." }];
    seen.add(lower);
    if (headerValue.test(headers[name]!)) return [];
    return [
      {
        pointer,
        code: "invalid_header_value",
        message: "A header value is printable ASCII without leading or trailing spaces.",
      },
    ];
  });
  if (names.length <= maxHeaders) return errors;
  return [{ pointer: "/headers", code: "too_many", message: `At most ${maxHeaders} headers are allowed.` }, ...errors];
}
