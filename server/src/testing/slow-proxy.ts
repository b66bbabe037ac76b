import { createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";

/** Forwards requests to a stand-in after a delay, as a carrier that is slow. */
export type SlowProxy = {
  url: string;
  /** Requests that were received, those under way, and the most of them at the same time. */
  begun(): number;
  open(): number;
  most(): number;
  close(): Promise<void>;
};

export async function startSlowProxy(target: string, delayMs: number): Promise<SlowProxy> {
  let [begun, open, most] = [0, 0, 0];
  const server = createServer((incoming, response) => {
    begun++;
    most = Math.max(most, ++open);
    const forward = setTimeout(() => {
      const { method, headers, url } = incoming;
      const sent = httpRequest(new URL(url!, target), { method: method!, headers }, (answer) => {
        response.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(response);
      });
      sent.on("error", () => response.destroy());
      incoming.pipe(sent);
    }, delayMs);
    response.once("close", () => {
      clearTimeout(forward);
      open--;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    begun: () => begun,
    open: () => open,
    most: () => most,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
