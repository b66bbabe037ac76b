/** Waits until the condition holds, at most `withinMs`. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  withinMs: number,
  describe: () => string,
  everyMs = 10,
): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`waited ${withinMs} ms: ${describe()}`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
