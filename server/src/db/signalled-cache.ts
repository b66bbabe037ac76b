import type { Signals, Topic } from "./signals.ts";

const maxEntries = 10_000;

/**
 * Remembers what was looked up until a signal says that it changed. While signals cannot arrive it remembers nothing:
 * slower, never stale.
 */
export function createSignalledCache<T>(
  signals: Signals,
  topic: Topic,
  load: (key: string) => Promise<T | undefined>,
  subjectOf: (value: T) => string,
): { get(key: string): T | undefined | Promise<T | undefined> } {
  const values = new Map<string, T>();
  // A value read before a change but delivered after its signal must not be kept.
  let generation = 0;

  function forgetAll(): void {
    generation++;
    values.clear();
  }
  signals.onGap(forgetAll);
  signals.subscribe("reset", forgetAll);
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
