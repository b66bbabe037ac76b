/** Up to two letters for an avatar: of the first and last name, or of an e-mail address. */
export function initialsOf(name: string): string {
  const [local = ""] = name.trim().split("@");
  const words = local.split(/[\s._-]+/u).filter(Boolean);
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) =>
    word ? String.fromCodePoint(word.codePointAt(0)!) : "",
  );
  return letters.join("").toLocaleUpperCase();
}
