import type { InputField } from "../../carriers/seam/invalid-input.ts";
import type { FieldError } from "../../core/errors.ts";

/** The fields that the caller has to correct, if the carrier was not called because of them. `places`: of the addresses in the request. */
export function inputErrors(
  { rejected, fields = [] }: { rejected: { message: string }; fields?: readonly InputField[] },
  places: { from: string; to: string },
): FieldError[] {
  return fields.map(({ part, name, code }) => {
    const place = part === "from" || part === "to" ? places[part] : "";
    return { pointer: name === undefined ? place : `${place}/${name}`, code, message: rejected.message };
  });
}
