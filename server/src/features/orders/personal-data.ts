import type { FieldError } from "../../core/errors.ts";
import { errorsAt } from "../../core/errors.ts";
import { mask, maskErrors, maskPerson, maySeePersonalData, personalMembers } from "../../core/mask-person.ts";
import type { Ctx } from "../../context.ts";
import type { Order } from "./order.ts";
import type { FieldChange } from "./order-changes.ts";
import { presentOrder } from "./order.ts";

const holders: readonly string[] = ["customer", "shippingAddress", "billingAddress"];

/**
 * Whether a path of an order, as conditions and placeholders name it, leads to who somebody is: to a member that is masked,
 * into one, or to all of what holds them. What is asked about these is refused to those who may not read them.
 */
export function isPersonalPath(path: string): boolean {
  const [holder, member] = path.split(".");
  return holders.includes(holder!) && (member === undefined || personalMembers.includes(member));
}

/** Why this caller may not ask about what lies at a path of an order; undefined when they may. */
export function personalPathRefusal(ctx: Pick<Ctx, "principal">, path: string) {
  if (!isPersonalPath(path) || maySeePersonalData(ctx)) return undefined;
  return { code: "pii_scope_required", message: `To ask about ${path} the scope pii:read is needed, as to read it.` };
}

/** As this caller may see it. */
export function presentTo(ctx: Pick<Ctx, "principal">, order: Order): ReturnType<typeof presentOrder> {
  return presentOrder(maySeePersonalData(ctx) ? order : maskOrder(order));
}

/** Who the order is for is left out; that something is there, and where it goes roughly, is not. */
export function maskOrder(order: Order): Order {
  return {
    ...order,
    customer: maskPerson(order.customer),
    shippingAddress: order.shippingAddress && maskPerson(order.shippingAddress),
    billingAddress: order.billingAddress && maskPerson(order.billingAddress),
  };
}

/** What a caller sends back as it was shown, with stars. */
export function maskedErrors(patch: Partial<Record<string, unknown>>): FieldError[] {
  return holders.flatMap((holder) => errorsAt(`/${holder}`, maskErrors(patch[holder] as object | null | undefined)));
}

/**
 * The fields of a patch that name what this caller may not read. They count as changed whatever they were: an order that
 * stayed as it was, with its version and its address status, would say that the guess was right.
 */
export function namedUnseen(ctx: Pick<Ctx, "principal">, patch: Partial<Record<string, unknown>>): string[] {
  if (maySeePersonalData(ctx)) return [];
  return holders.filter((holder) => personalMembers.some((member) => Object.hasOwn(Object(patch[holder]), member)));
}

/** `path` points at what holds personal data, or at something in it. */
export function maskChange({ path, from, to, ...more }: FieldChange): FieldChange {
  const [holder, member] = path.slice(1).split("/");
  if (!holders.includes(holder!)) return { path, from, to, ...more };
  const hide = (value: unknown): unknown => {
    if (typeof value === "object" && value !== null) return maskPerson(value);
    return member !== undefined && personalMembers.includes(member) && typeof value === "string" ? mask : value;
  };
  return { path, from: hide(from), to: hide(to), ...more };
}
