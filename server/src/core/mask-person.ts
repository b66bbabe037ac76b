export const mask = "***";

/** What tells who somebody is, in an address or beside one. Where something goes roughly is not part of it. */
export const personalMembers: readonly string[] = ["name", "email", "phone", "address1", "address2"];

/** The same with stars in place of names: that something is there is still seen. */
export function maskPerson<T extends object>(holder: T): T {
  const masked = personalMembers.filter((name) => name in holder).map((name) => [name, mask]);
  return { ...holder, ...Object.fromEntries(masked) };
}
