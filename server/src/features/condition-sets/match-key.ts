export type Matching = "case_insensitive" | "exact";

/** What a value is kept as: the same text however it was typed (composed or decomposed), without outer blanks. */
export function normaliseValue(value: string): string {
  return value.normalize("NFC").trim();
}

/** Two values are the same member of a set when their keys are equal. */
export function matchKey(value: string, matching: Matching): string {
  const normalised = normaliseValue(value);
  // Upper case first: it folds pairs such as "ß" and "SS" that lower case alone keeps apart.
  return matching === "exact" ? normalised : normalised.toUpperCase().toLowerCase().normalize("NFC");
}
