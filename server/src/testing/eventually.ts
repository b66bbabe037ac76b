/** Asks again until the answer is the wanted one; fails with the last answer when that takes too long. */
export async function eventually<T>(
  ask: () => Promise<T>,
  isWanted: (answer: T) => boolean,
  withinMs = 45_000,
): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (isWanted(answer)) return answer;
    if (performance.now() > deadline) {
      throw new Error(`still not what was waited for after ${withinMs} ms: ${JSON.stringify(answer)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
