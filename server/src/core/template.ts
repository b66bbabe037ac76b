/** A template split at its placeholders: literal text, and the path in each `{{path}}`. */
export type TemplatePart = string | { path: string };

// Whitespace is trimmed after the match: a pattern for it would backtrack over long runs of spaces.
const token = /\\\\(?=\{\{)|\\\{\{|\{\{([^{}]*)\}\}/g;

/**
 * The one placeholder grammar of the hub: mappings, action params and the `rest` connector fill in `{{path}}`. `\{{` is two
 * braces as they are, `\\{{` a backslash before a placeholder.
 */
export function parseTemplate(text: string): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let literal = "";
  let end = 0;
  for (const found of text.matchAll(token)) {
    const [whole, path] = found;
    literal += text.slice(end, found.index);
    end = found.index + whole.length;
    if (path === undefined) literal += whole.slice(1);
    else {
      parts.push(literal, { path: path.trim() });
      literal = "";
    }
  }
  parts.push(literal + text.slice(end));
  return parts.filter((part) => part !== "");
}

/** Such a template can keep the type of the value it stands for. */
export function isOnePlaceholder(text: string): boolean {
  const [only, ...others] = parseTemplate(text);
  return typeof only === "object" && others.length === 0;
}
