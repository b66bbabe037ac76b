import { randomUUID } from "node:crypto";
import type { Static, TSchema } from "typebox";
import { check } from "../request-rules.ts";
import type { CarrierReply, CarrierRequest } from "../stand-in-api.ts";

const titles: Record<number, string> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Access is denied.",
  404: "Not Found",
  412: "Precondition Failed",
  429: "Too Many Requests",
  503: "Service is unavailable",
};

/** The form of all errors except those of the token endpoint. `api` is the first part of the path: /labels/v3. Documents name no codes. */
export function refuse(
  status: number,
  api: string,
  detail: string,
  parameter?: string,
  code = "00000XX",
): CarrierReply {
  const title = titles[status] ?? "Error";
  const error = {
    status: String(status),
    code,
    title,
    detail,
    ...(parameter && { source: { parameter } }),
  };
  return { status, body: { apiVersion: api, error: { code: String(status), message: title, errors: [error] } } };
}

export function apiOf(request: CarrierRequest): string {
  return `/${request.url.pathname.split("/").slice(1, 3).join("/")}`;
}

type Read<T> = { body: T; refused?: undefined } | { body?: undefined; refused: CarrierReply };

export function readBody<Schema extends TSchema>(request: CarrierRequest, schema: Schema): Read<Static<Schema>> {
  if (!String(request.headers["content-type"]).startsWith("application/json")) {
    return { refused: refuse(400, apiOf(request), "The content type must be application/json.", "content-type") };
  }
  let given: unknown;
  try {
    given = request.json();
  } catch {
    return { refused: refuse(400, apiOf(request), "The request body is not valid JSON.") };
  }
  const { value, errors } = check(schema, given);
  if (!errors) return { body: value };
  const list = errors.map(({ pointer, message }) => ({
    status: "400",
    code: "00000XX",
    title: "Bad Request",
    detail: message,
    source: { parameter: pointer.split("/").filter(Boolean).join(".") },
  }));
  const body = {
    apiVersion: apiOf(request),
    error: { code: "400", message: "OASValidation failed for the request.", errors: list },
  };
  return { refused: { status: 400, body } };
}

export type Part = { name: string; type: string; file?: string; content: string };

/** Metadata as JSON and files as base64 text, each as one part; `newline` ends each line. */
export function multipart(parts: Part[], newline = "\r\n"): CarrierReply {
  const boundary = randomUUID().replaceAll("-", "").slice(0, 24);
  const lines = parts.flatMap(({ name, type, file, content }) => [
    `--${boundary}`,
    `Content-Type: ${type}`,
    `Content-Disposition: form-data; ${file ? `filename="${file}"; ` : ""}name="${name}"`,
    "",
    content,
  ]);
  const body = [...lines, `--${boundary}--`, ""].join(newline);
  return { status: 200, headers: { "content-type": `multipart/form-data; boundary=${boundary}` }, body };
}
