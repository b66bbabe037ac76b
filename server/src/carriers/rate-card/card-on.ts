type DatedCard = { effectiveFrom: string; effectiveTo?: string | null | undefined; version: number };

/**
 * The card in effect on a day: of those that have begun and not ended (both days included) the one that began last, and
 * of several from one day the newest upload.
 */
export function cardOn<Card extends DatedCard>(cards: readonly Card[], day: string): Card | undefined {
  let found: Card | undefined;
  for (const card of cards) {
    if (card.effectiveFrom > day || (card.effectiveTo ?? "9999-12-31") < day) continue;
    const isLater =
      !found ||
      card.effectiveFrom > found.effectiveFrom ||
      (card.effectiveFrom === found.effectiveFrom && card.version > found.version);
    if (isLater) found = card;
  }
  return found;
}
