import { randomUUID } from "node:crypto";
import type { Static, TSchema } from "typebox";
import { check } from "../request-rules.ts";
import type { CarrierReply, CarrierRequest } from "../stand-in-api.ts";

/** Every answer has the id of the transaction, and the customer's own where the request had one. */
function ids(request?: CarrierRequest): Record<string, string> {
  const own = request?.headers["x-customer-transaction-id"];
  return { transactionId: randomUUID(), ...(typeof own === "string" && { customerTransactionId: own }) };
}

export function refuse(status: number, code: string, message: string, request?: CarrierRequest): CarrierReply {
  return { status, body: { ...ids(request), errors: [{ code, message }] } };
}

export function reply(request: CarrierRequest, output: Record<string, unknown>): CarrierReply {
  return { status: 200, body: { ...ids(request), output } };
}

type Read<T> = { body: T; refused?: undefined } | { body?: undefined; refused: CarrierReply };

/** All problems of a body in the list of parameters of one error. */
export function readBody<Schema extends TSchema>(request: CarrierRequest, schema: Schema): Read<Static<Schema>> {
  if (!String(request.headers["content-type"]).startsWith("application/json")) {
    return { refused: refuse(415, "UNSUPPORTED.MEDIA.TYPE", "The content type must be application/json.", request) };
  }
  let given: unknown;
  try {
    given = request.json();
  } catch {
    return { refused: refuse(400, "INVALID.INPUT.EXCEPTION", "Invalid JSON in the request body.", request) };
  }
  const { value, errors } = check(schema, given);
  if (!errors) return { body: value };
  const parameterList = errors.map(({ pointer, code, message }) => ({
    key: `${code}.${pointer.split("/").filter(Boolean).join(".")}`,
    value: message,
  }));
  const error = {
    code: "INVALID.INPUT.EXCEPTION",
    message: `Validation failed for the request. Error count: ${errors.length}`,
    parameterList,
  };
  return { refused: { status: 400, body: { ...ids(request), errors: [error] } } };
}

/** Amounts are floats: 29.2, not "29.20". */
export function amount(cents: number): number {
  return cents / 100;
}
