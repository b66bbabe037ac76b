/** What an authenticator app makes of the secret that was typed into it. */
export function fromBase32(text: string): Buffer {
  const bits = Array.from(text, (sign) =>
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(sign).toString(2).padStart(5, "0"),
  );
  return Buffer.from((bits.join("").match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
