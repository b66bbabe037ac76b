/** A template split at its placeholders: literal text, and the path in each `{{path}}`. */
export type TemplatePart = string | { path: string };

// Whitespace is trimmed after the match: a pattern for it would backtrack over long runs of spaces.
const placeholder = /\{\{([^{}]*)\}\}/g;

/** The one placeholder grammar of the hub: mappings, action params and the `rest` connector fill in `{{path}}`. */
export function parseTemplate(text: string): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let end = 0;
  for (const found of text.matchAll(placeholder)) {
    parts.push(text.slice(end, found.index), { path: found[1]!.trim() });
    end = found.index + found[0].length;
  }
  parts.push(text.slice(end));
  return parts.filter((part) => part !== "");
}

/** Such a template can keep the type of the value it stands for. */
export function isOnePlaceholder(text: string): boolean {
  const [only, ...others] = parseTemplate(text);
  return typeof only === "object" && others.length === 0;
}
