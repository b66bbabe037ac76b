/** A client with one IPv6 address usually owns its whole /64 and could use a new address for each attempt. */
export function networkOf(address: string): string {
  const isMapped = address.startsWith("::ffff:");
  if (isMapped || !address.includes(":")) return address;
  const [head = "", tail = ""] = address.split("::");
  const [first, last] = [head, tail].map((half) => (half === "" ? [] : half.split(":")));
  const zeros = Array.from({ length: 8 - first!.length - last!.length }, () => "0");
  return [...first!, ...zeros, ...last!].slice(0, 4).join(":");
}
