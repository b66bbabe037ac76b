import { isCommandName } from "../../server/src/main/command-list.ts";

export const helpNames = ["help", "--help", "-h"];

/** Commands that work on the machine of the hub, also as `hub help serve`. */
export function isMachineCommand([first = "", second = ""]: string[]): boolean {
  return isCommandName(first) || (helpNames.includes(first) && isCommandName(second));
}
