import type { FieldError, Problem } from "./api-types.ts";

/** An error response of the hub. `problem` is its body, `code` identifies the error. */
export class HubApiError extends Error {
  readonly problem: Problem;
  readonly status: number;
  readonly code: Problem["code"];
  readonly requestId: string;
  readonly retryable: boolean;
  readonly errors: FieldError[];
  readonly retryAfterMs: number | undefined;

  constructor(problem: Problem, retryAfterMs?: number) {
    super(problem.detail);
    this.name = "HubApiError";
    this.problem = problem;
    this.status = problem.status;
    this.code = problem.code;
    this.requestId = problem.requestId;
    this.retryable = problem.retryable;
    this.errors = problem.errors ?? [];
    this.retryAfterMs = retryAfterMs;
  }
}

/** No response: the hub, or something in between, is unreachable. */
export class HubConnectionError extends Error {
  /** Address of the hub that was called; "" for that of the page. */
  readonly url: string;

  constructor(cause: unknown, url = "") {
    const message =
      url === "" ? "The hub cannot be reached." : `The hub at ${url} cannot be reached: ${reasonOf(cause)}`;
    super(message, { cause });
    this.name = "HubConnectionError";
    this.url = url;
  }
}

/** `fetch` says only "fetch failed"; its cause has the reason, as a code alone if several addresses were tried. */
function reasonOf(error: unknown): string {
  const inner = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(inner instanceof Error)) return String(inner);
  const { code } = inner as { code?: unknown };
  if (typeof code === "string" && (inner.message === "" || code.startsWith("ERR_SSL"))) return code;
  return inner.message;
}

/** The problem of an error response. If a proxy answered instead of the hub, a problem of the same shape. */
export async function readProblem(response: Response): Promise<HubApiError> {
  const text = await response.text();
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  return new HubApiError(
    parseProblem(text) ?? foreignProblem(response),
    Number.isNaN(seconds) ? undefined : seconds * 1000,
  );
}

function parseProblem(text: string): Problem | undefined {
  try {
    const body = JSON.parse(text) as Partial<Problem> & { error?: { code: string; message: string } };
    if (typeof body.code === "string") return body as Problem;
    return undefined;
  } catch {
    return undefined;
  }
}

function foreignProblem(response: Response): Problem {
  return {
    type: "about:blank",
    title: response.statusText,
    status: response.status,
    detail: `${originOf(response)} answered ${response.status} ${response.statusText}, and this is not an answer of the hub: the address may be wrong, or a proxy may have answered.`,
    instance: response.headers.get("x-request-id") ?? "",
    code: "not_from_the_hub",
    requestId: response.headers.get("x-request-id") ?? "",
    retryable: response.status >= 500,
  };
}

function originOf({ url }: Response): string {
  return URL.canParse(url) ? new URL(url).origin : "The server";
}
