import type { Signals, Topic } from "./signals.ts";

const maxEntries = 10_000;

/**
 * Caches values until a signal reports a change. While the signal connection is down nothing is cached: slower, never stale.
 */
export function createSignalledCache<T>(
  signals: Signals,
  topic: Topic,
  load: (key: string) => Promise<T | undefined>,
  subjectOf: (value: T) => string,
): { get(key: string): T | undefined | Promise<T | undefined> } {
  const values = new Map<string, T>();
  // A value read before a change but returned after its signal must not be cached.
  let generation = 0;

  function clear(): void {
    generation++;
    values.clear();
  }
  signals.onGap(clear);
  signals.subscribe("reset", clear);
  signals.subscribe(topic, (subject) => {
    generation++;
    for (const [key, value] of values) if (subjectOf(value) === subject) values.delete(key);
  });

  async function read(key: string): Promise<T | undefined> {
    const started = generation;
    const value = await load(key);
    if (value !== undefined && generation === started && signals.isConnected()) {
      if (values.size >= maxEntries) values.clear();
      values.set(key, value);
    }
    return value;
  }

  return { get: (key) => (signals.isConnected() ? values.get(key) : undefined) ?? read(key) };
}
