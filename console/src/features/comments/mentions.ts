type Named = { id: string; name: string };

const maxMentions = 20;
const maxSuggested = 6;
const fold = (text: string): string => text.toLocaleLowerCase();

/** Users whose name stands after an @ in the text. The longest name wins: "@Ann Lee" does not mention Ann. */
export function mentionsIn(text: string, people: readonly Named[]): string[] {
  const longestFirst = people.toSorted((one, other) => other.name.length - one.name.length);
  const found: string[] = [];
  let rest = fold(text);
  for (const { id, name } of longestFirst) {
    const written = `@${fold(name)}`;
    if (!rest.includes(written)) continue;
    found.push(id);
    rest = rest.replaceAll(written, " ");
  }
  return found.slice(0, maxMentions);
}

/** Users whose name begins with what is typed after the last @ of the text. */
export function typedMention<Person extends Named>(text: string, people: readonly Person[]): Person[] {
  const at = text.lastIndexOf("@");
  if (at === -1) return [];
  const typed = fold(text.slice(at + 1));
  // The name is complete, and the text goes on.
  if (people.some(({ name }) => typed.startsWith(`${fold(name)} `))) return [];
  return people.filter(({ name }) => fold(name).startsWith(typed) && fold(name) !== typed).slice(0, maxSuggested);
}
