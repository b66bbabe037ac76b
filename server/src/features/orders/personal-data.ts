import type { FieldError } from "../../core/errors.ts";
import { errorsAt } from "../../core/errors.ts";
import { mask, maskErrors, maskPerson, maySeePersonalData, personalMembers } from "../../core/mask-person.ts";
import type { Ctx } from "../../context.ts";
import { customerFigurePaths } from "./customers.store.ts";
import type { Order } from "./order.ts";
import type { FieldChange } from "./order-changes.ts";
import { presentOrder } from "./order.ts";

const holders: readonly string[] = ["customer", "shippingAddress", "billingAddress"];
/** Texts that are personal data as a whole. */
const personalTexts: readonly string[] = ["giftMessage"];

/**
 * Whether a path of an order, in a condition or placeholder, leads to personal data: to a masked member, into one, or to an object
 * that contains one. Callers without pii:read may not use such paths. The figures of a customer would confirm a guessed e-mail
 * address: an order with that address would count the others.
 */
export function isPersonalPath(path: string): boolean {
  if (customerFigurePaths.includes(path)) return true;
  const [holder, member] = path.split(".");
  if (personalTexts.includes(holder!)) return true;
  return holders.includes(holder!) && (member === undefined || personalMembers.includes(member));
}

/** Why this caller may not use a path in a condition or placeholder. */
export function personalPathRefusal(ctx: Pick<Ctx, "principal">, path: string) {
  if (!isPersonalPath(path) || maySeePersonalData(ctx)) return undefined;
  return { code: "pii_scope_required", message: `Using ${path} requires the scope pii:read.` };
}

/** The order for this caller, masked without pii:read. */
export function presentTo(ctx: Pick<Ctx, "principal">, order: Order): ReturnType<typeof presentOrder> {
  return presentOrder(maySeePersonalData(ctx) ? order : maskOrder(order));
}

/** Masks the recipient, but keeps which fields are set and the coarse destination. */
export function maskOrder(order: Order): Order {
  return {
    ...order,
    customer: maskPerson(order.customer),
    shippingAddress: order.shippingAddress && maskPerson(order.shippingAddress),
    billingAddress: order.billingAddress && maskPerson(order.billingAddress),
    giftMessage: order.giftMessage === null ? null : mask,
  };
}

/** Errors for masked values that a caller sends back. */
export function maskedErrors(patch: Partial<Record<string, unknown>>): FieldError[] {
  return [
    ...holders.flatMap((holder) => errorsAt(`/${holder}`, maskErrors(patch[holder] as object | null | undefined))),
    ...maskErrors(patch, personalTexts),
  ];
}

/**
 * Fields of a patch that the caller may not read. They always count as changed: an unchanged version or address status would
 * confirm a guessed value.
 */
export function namedUnseen(ctx: Pick<Ctx, "principal">, patch: Partial<Record<string, unknown>>): string[] {
  if (maySeePersonalData(ctx)) return [];
  const isNamed = (holder: string): boolean =>
    personalMembers.some((member) => Object.hasOwn(Object(patch[holder]), member));
  return [...holders.filter(isNamed), ...personalTexts.filter((field) => Object.hasOwn(patch, field))];
}

/** `path` leads to an object with personal data, or into it. */
export function maskChange({ path, from, to, ...more }: FieldChange): FieldChange {
  const [holder, member] = path.slice(1).split("/");
  if (personalTexts.includes(holder!)) {
    const hideText = (value: unknown): unknown => (value === null ? null : mask);
    return { path, from: hideText(from), to: hideText(to), ...more };
  }
  if (!holders.includes(holder!)) return { path, from, to, ...more };
  const hide = (value: unknown): unknown => {
    if (typeof value === "object" && value !== null) return maskPerson(value);
    return member !== undefined && personalMembers.includes(member) && typeof value === "string" ? mask : value;
  };
  return { path, from: hide(from), to: hide(to), ...more };
}
