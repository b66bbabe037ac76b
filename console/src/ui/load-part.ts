const retryMs = 2_000;
const giveUpMs = 600_000;

/**
 * For `lazy`: loads a part of a page when it is first shown, and tries again while the hub is unreachable. A failed import would
 * otherwise replace the whole page by an error.
 */
export function loadPart<Part>(load: () => Promise<Part>): () => Promise<Part> {
  return async () => {
    const giveUpAt = performance.now() + giveUpMs;
    for (;;) {
      try {
        return await load();
      } catch (error) {
        if (performance.now() > giveUpAt) throw error;
        await new Promise((resolve) => setTimeout(resolve, retryMs));
      }
    }
  };
}
