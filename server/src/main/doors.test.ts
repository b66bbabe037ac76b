import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { canShare, openDoors, refuseTaken } from "./doors.ts";

test.runIf(canShare)("many connections come in with each turn of the event loop, not one", async () => {
  const server = createServer((_request, response) => response.end("hello"));
  server.listen({ host: "127.0.0.1", port: 0, reusePort: true });
  await once(server, "listening");
  const doors = await openDoors(server, "127.0.0.1");
  const { port } = server.address() as { port: number };
  let accepted = 0;
  server.on("connection", () => accepted++);
  const count = 200;
  const sockets = Array.from({ length: count }, () => connect(port, "127.0.0.1"));
  let turns = 0;
  while (accepted < count) {
    turns++;
    await new Promise(setImmediate);
  }
  // What is ready is not always ready in the first turn; one by one it would be at least two hundred.
  expect(turns).toBeLessThan(count);
  for (const socket of sockets) socket.write("GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
  const answers = await Promise.all(sockets.map(async (socket) => String((await once(socket, "data"))[0])));
  expect(new Set(answers.map((answer) => answer.slice(0, 15)))).toEqual(new Set(["HTTP/1.1 200 OK"]));
  await expect(refuseTaken("127.0.0.1", port)).rejects.toMatchObject({ code: "EADDRINUSE" });
  server.close();
  await doors.close();
});
