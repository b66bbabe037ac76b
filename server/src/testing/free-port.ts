import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * A free port of those that a system gives to no connection by itself: nothing takes it before it is used, nor while what uses it
 * starts again.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_240, 32_768);
    const probe = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      probe.once("error", () => resolve(false));
      probe.listen(port, "127.0.0.1", () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => probe.close(resolve));
    return port;
  }
}
