/** Made when it is first asked for, once for all who ask. What failed is tried again for whoever asks next. */
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
