import type { ComponentProps } from "react";
import { TextField } from "../../ui/text-field.tsx";

const minLength = 10;

/** Undefined when the password is long enough, or else the rule. */
export const passwordRule = (password: string): string | undefined =>
  password.length >= minLength ? undefined : `Enter a password of at least ${minLength} characters.`;

type Props = Omit<ComponentProps<typeof TextField>, "hint" | "type" | "autoComplete"> & { value: string };

/** Field for a new password, which says its rule and what is still missing. */
export function NewPassword({ value, error, ...rest }: Props) {
  const missing = minLength - value.length;
  const hint =
    value !== "" && missing > 0
      ? `${missing} more ${missing === 1 ? "character" : "characters"} needed (at least ${minLength}).`
      : `At least ${minLength} characters. Several unrelated words work best.`;
  return <TextField {...rest} value={value} error={error} hint={hint} type="password" autoComplete="new-password" />;
}
