export const matchingOptions = [
  { value: "case_insensitive", label: "Ignore case", note: "abc matches ABC" },
  { value: "exact", label: "Match case" },
];
export const matchingWords: Record<string, string> = {
  case_insensitive: "Ignore case",
  exact: "Match case",
};
