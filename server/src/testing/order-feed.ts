import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterFile } from "./after-file.ts";
import type { TestOrg } from "./test-hub.ts";

/** A shop that returns the current content of `orders`, and a rest bridge that imports them. */
export async function openOrderFeed(org: TestOrg, orders: object[]) {
  const server = createServer((_incoming, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ data: orders }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterFile(() => new Promise((resolve) => server.close(resolve)));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const task = {
    name: "orders.import",
    mode: "pull",
    request: { path: "/orders" },
    recordsPath: "data",
    externalIdPath: "id",
  };
  const settings = { baseUrl, auth: { kind: "none" }, tasks: [task] };
  const { body: bridge } = await org.post("/bridges", { name: "Feed", connector: "rest", settings });
  const about = { bridgeId: bridge.id as string, taskName: "orders.import" };
  return {
    bridgeId: about.bridgeId,
    async map(mappings: object[]): Promise<void> {
      const made = await org.post("/transformations?replace=true", {
        ...about,
        name: "Feed",
        direction: "inbound",
        mappings,
      });
      if (made.status !== 201) throw new Error(JSON.stringify(made.body));
    },
    pull: async () => (await org.post("/tasks/execute-sync", { ...about, input: {} })).body,
  };
}
