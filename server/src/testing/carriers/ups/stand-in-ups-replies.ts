import type { Static, TSchema } from "typebox";
import type { FieldError } from "../../../core/errors.ts";
import { decimalText } from "../stand-in-prices.ts";
import { check } from "../request-rules.ts";
import type { CarrierReply, CarrierRequest } from "../stand-in-api.ts";
import { withLists } from "./stand-in-ups-requests.ts";

/** The form that all errors of UPS have. */
export function refuse(status: number, code: string, message: string): CarrierReply {
  return { status, body: { response: { errors: [{ code, message }] } } };
}

export function success(context?: string): Record<string, unknown> {
  return {
    ResponseStatus: { Code: "1", Description: "Success" },
    TransactionReference: { CustomerContext: context ?? "", TransactionIdentifier: "ciewssoas5s6fs" },
  };
}

/** UPS reports the first problem only. */
function refuseField({ pointer, code, message }: FieldError): CarrierReply {
  const field = pointer.split("/").filter(Boolean).join("/");
  if (code === "required") return refuse(400, "20007", `Missing Required field, ${field}.`);
  if (code === "type" || code === "unknown_field") {
    return refuse(400, "9110003", `The JSON of ${field || "the request"} is not understood: ${message}`);
  }
  return refuse(400, "20008", `The field, ${field}, contains invalid data: ${message}`);
}

type Read<T> = { body: T; refused?: undefined } | { body?: undefined; refused: CarrierReply };

export function readBody<Schema extends TSchema>(request: CarrierRequest, schema: Schema): Read<Static<Schema>> {
  let body: unknown;
  try {
    body = request.json();
  } catch {
    return { refused: refuse(400, "10001", "The request is not well formed.") };
  }
  const { value, errors } = check(schema, withLists(body));
  return errors ? { refused: refuseField(errors[0]!) } : { body: value };
}

/** `v2409` is 2409, `v1` is 1. */
export function versionOf(match: RegExpExecArray): number {
  return Number(match[1]);
}

/** Before version 2403, a list of one is sent as the one object. */
export function listFor<T>(version: number, list: T[], isSingle = false): T | T[] {
  return list.length === 1 && (version < 2403 || isSingle) ? list[0]! : list;
}

export function money(cents: number): { CurrencyCode: string; MonetaryValue: string } {
  return { CurrencyCode: "USD", MonetaryValue: decimalText(cents) };
}
