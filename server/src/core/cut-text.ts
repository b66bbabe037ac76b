/** The beginning of a text, at most so many UTF-16 units of it; never half of a character. */
export function cutText(text: string, maxUnits: number): string {
  if (text.length <= maxUnits) return text;
  const last = text.charCodeAt(maxUnits - 1);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, isHalf ? maxUnits - 1 : maxUnits);
}
