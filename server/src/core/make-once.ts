/** Computes a value on first use and shares it. A failure is not cached: the next caller tries again. */
export function makeOnce<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  async function tryIt(): Promise<T> {
    try {
      return await make();
    } catch (error) {
      made = undefined;
      throw error;
    }
  }
  return () => (made ??= tryIt());
}
