export const matchingOptions = [
  { value: "case_insensitive", label: "Are the same", note: "abc is ABC" },
  { value: "exact", label: "Are different" },
];
export const matchingWords: Record<string, string> = {
  case_insensitive: "case does not matter",
  exact: "case matters",
};
