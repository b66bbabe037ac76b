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
  constructor(cause: unknown) {
    super("The hub cannot be reached.", { cause });
    this.name = "HubConnectionError";
  }
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
    detail: `${response.status} ${response.statusText}, not from the hub: a proxy may have answered.`,
    instance: response.headers.get("x-request-id") ?? "",
    code: "not_from_the_hub",
    requestId: response.headers.get("x-request-id") ?? "",
    retryable: response.status >= 500,
  };
}
