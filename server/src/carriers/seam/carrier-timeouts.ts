/**
 * True if an aggregator reports, in the words of an error, that the carrier behind it did not answer. Aggregators pass that on with the
 * status and code of a refusal, although the carrier may have sold the label.
 */
export function isCarrierTimeout(words: string): boolean {
  return /time(d)?[ _-]?out|(not|n't) (respond|answer|reply)|no (response|answer|reply)/i.test(words);
}
