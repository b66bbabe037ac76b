import type { FieldError } from "./errors.ts";
import { mask } from "./mask-person.ts";
import { escapePointer } from "./strict-json.ts";

/** Names, in lower case and without punctuation, under which systems take credentials. `Idempotency-Key` is none. */
const credentialName =
  /^(proxy|x)?auth(orization|entication)?$|cookie2?$|(api|app|access|auth|account|client|private|secret|signing|subscription|license)key|token|secret|passw(or)?d|passphrase|credential|session(id)?$/;

function isCredential(name: string): boolean {
  return credentialName.test(name.toLowerCase().replaceAll(/[^a-z0-9]/g, ""));
}

/** Texts under names of credentials, for every caller: rows from before `secretErrors` refused them may hold some. */
export function maskSecretsWithin(value: unknown, name = ""): unknown {
  if (typeof value === "string") return isCredential(name) ? mask : value;
  if (Array.isArray(value)) return value.map((member) => maskSecretsWithin(member, name));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, maskSecretsWithin(member, key)]));
}

/** Which members there are, without their values. `null` stays: in a patch it removes a member. */
export function maskValues(value: unknown): unknown {
  if (value === null) return null;
  if (Array.isArray(value)) return value.map(maskValues);
  if (typeof value !== "object") return mask;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, maskValues(member)]));
}

const maxErrors = 20;

/**
 * What must not be stored as the input of a task. Input is kept in plain text, in schedules, executions and pipelines, and shown
 * to all who may read those: credentials belong to the bridge, where they are sealed. And a masked value that is sent back
 * would replace the value it stands for.
 */
export function secretErrors(input: Record<string, unknown>): FieldError[] {
  const { headers } = input;
  const names = typeof headers === "object" && headers !== null ? Object.keys(headers) : [];
  return [
    ...names.filter(isCredential).map((name) => ({
      pointer: `/headers/${escapePointer(name)}`,
      code: "credential_in_input",
      message: `The input of a task is stored and shown. Put ${name} into the credentials of the bridge, as one of their \`headers\`.`,
    })),
    ...maskedMembers(input, "").map((pointer) => ({
      pointer,
      code: "masked_value",
      message: "This stands for a value that is not shown. Leave it out, or send the value itself.",
    })),
  ].slice(0, maxErrors);
}

function maskedMembers(value: unknown, pointer: string): string[] {
  if (value === mask) return [pointer];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => maskedMembers(member, `${pointer}/${escapePointer(name)}`));
}
