import type { Principal } from "./actor.ts";
import type { FieldError } from "./errors.ts";
import { isUuid } from "./ids.ts";
import { ownWordsFor } from "./remote-error.ts";
import { hasScope } from "./scopes.ts";

export const mask = "***";

/** Fields of an address, or beside one, that identify a person. City and region do not. */
export const personalMembers: readonly string[] = ["id", "name", "email", "phone", "address1", "address2"];

export function maySeePersonalData({ principal }: { principal: Pick<Principal, "scopes"> }): boolean {
  return hasScope(principal.scopes, "pii:read");
}

/** Replaces names by stars, so that it is still visible that there is a value. */
export function maskPerson<T extends object>(holder: T): T {
  const masked = personalMembers.filter((name) => name in holder).map((name) => [name, mask]);
  return { ...holder, ...Object.fromEntries(masked) };
}

/** A caller that sends masked values back would overwrite the real ones. Pointers are relative to the holder. */
export function maskErrors(
  holder: object | null | undefined,
  names: readonly string[] = personalMembers,
): FieldError[] {
  const values = (holder ?? {}) as Record<string, unknown>;
  const message = "This stands for what you may not read (pii:read). Leave it out, and it stays as it is.";
  return names
    .filter((name) => values[name] === mask)
    .map((name) => ({ pointer: `/${name}`, code: "masked_value", message }));
}

/**
 * Masks every text, and every number that may be a phone number, where any of them may identify a person. Other numbers, ids and the
 * structure stay visible.
 */
export function maskTexts(value: unknown, name = ""): unknown {
  if (typeof value === "string") return isUuid(value) ? value : mask;
  if (isContainer(value)) return mapMembers(value, maskTexts);
  return mayBePhoneNumber(value) && !/id$/i.test(name) ? mask : value;
}

/** E.164 has at most 15 digits; subscriber numbers have at least 7. */
function mayBePhoneNumber(value: unknown): boolean {
  if (typeof value !== "number" && typeof value !== "bigint") return false;
  return /^\d{7,15}$/.test(String(value));
}

/** The message of a problem may quote the data; its code and pointer do not. */
export function maskProblem<T extends { message?: unknown }>(problem: T): T {
  const masked: T & { suggestion?: unknown; value?: unknown } = { ...problem, message: mask };
  delete masked.suggestion;
  delete masked.value;
  return masked;
}

/** A failure in the hub's own words: the message of the other side may quote personal data of the request. */
export function maskFailure<T extends { code: string; message: string }>(failure: T): T {
  return { ...failure, message: ownWordsFor(failure) ?? mask };
}

/** Masks all failures in the result of a task. */
export function maskFailuresWithin(value: unknown): unknown {
  if (!isContainer(value)) return value;
  const { code, message } = value as { code?: unknown; message?: unknown };
  const failure =
    typeof code === "string" && typeof message === "string" ? maskFailure({ ...value, code, message }) : value;
  return mapMembers(failure, maskFailuresWithin);
}

/** A number under the name of a personal field, such as a phone number, is masked too. */
function maskScalars(value: unknown): unknown {
  if (isContainer(value)) return mapMembers(value, maskScalars);
  return typeof value === "number" || typeof value === "bigint" ? mask : maskTexts(value);
}

const always =
  /^(customer|recipient|buyer|contact|shipping|billing)?(first|last|full)name$|e?mail(address)?$|phone(number)?$|^gift(message|note)(text)?$/;
const phones =
  /^(home|work|office|private|customer|recipient|buyer|contact|shipping|billing)?(tel|telefon|telefone|telefono|telefoon|mobile|mobil|mobilno|cell|cellular|fax|telefax|gsm|msisdn|whatsapp|handy)(no|nr|num|number)?$/;
const streets = /^(shipping|billing)?(address(line)?[123]|street(address|[123])?)$/;
const personHolder = /^(customer|recipient|buyer|consignee|contact|person)$/;
const place = /^(address|(shipping|billing|delivery)(address)?|destination|shipto|billto)$/;
const besidesPerson = /^(zip|zipcode|postcode|postalcode|city|company)$/;

/**
 * Masks personal fields in data of any shape, by the names that systems use for them. A plain `name` may be that of a product, so it
 * counts only in an object of a person, or beside a street, a city or an email address.
 */
export function maskPersonsWithin(value: unknown, holder = ""): unknown {
  if (!isContainer(value)) return value;
  if (Array.isArray(value)) return value.map((member) => maskPersonsWithin(member, holder));
  const names = Object.keys(value).map(plain);
  const isPerson =
    personHolder.test(holder) ||
    place.test(holder) ||
    names.some((name) => isPersonal(name) || besidesPerson.test(name));
  return mapMembers(value, (member, key) => {
    const name = plain(key);
    const isNamed =
      isPersonal(name) || (isPerson && name === "name") || (personHolder.test(name) && !isContainer(member));
    return isNamed ? maskScalars(member) : maskPersonsWithin(member, name);
  });
}

const searches = /^(q|query|search|searchtext|text|term|terms|keyword|keywords)$/;

/** In what a list is filtered by: words that were searched for, which may name a person, and all that is named like a part of one. */
export function maskSearchWords(value: unknown, name = ""): unknown {
  if (searches.test(plain(name))) return maskScalars(value);
  if (!isContainer(value)) return value;
  const { path } = value as { path?: unknown };
  // A condition on a field of a person, such as customer.email.
  const asks = typeof path === "string" && "value" in value && path.split(".").some((part) => isPerson(plain(part)));
  const shown = asks ? { ...value, value: mask } : value;
  return mapMembers(maskPersonsWithin(shown) as object, maskSearchWords);
}

function isPerson(name: string): boolean {
  return isPersonal(name) || personHolder.test(name) || name === "name";
}

function isPersonal(name: string): boolean {
  return (
    always.test(name) ||
    phones.test(name) ||
    streets.test(name) ||
    /^(customer|recipient|buyer|contact)name$/.test(name)
  );
}

/** first_name, First Name and firstName are one. */
function plain(key: string): string {
  return key.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function mapMembers(value: object, map: (member: unknown, key: string) => unknown): unknown {
  if (Array.isArray(value)) return value.map((member, i) => map(member, String(i)));
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, map(member, key)]));
}
