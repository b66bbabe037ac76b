import { constants, openSync, writeSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createRandom } from "./chaos-plan.ts";
import type { Arrival } from "./webhook-checker.ts";

/*
 * Endpoints on loopback, in a process that is never killed. Deliveries are synced to disk before the response. Arguments: the
 * journal's file and a seed.
 */
const [journalFile = "", seed = "0"] = process.argv.slice(2);
const journal = openSync(journalFile, constants.O_CREAT | constants.O_WRONLY | constants.O_APPEND | constants.O_SYNC);
const random = createRandom(Number(seed));

type Body = { id: string; sequence: string; type: string; source: string };

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const dice = random.next();
    const { id, sequence, type, source } = JSON.parse(Buffer.concat(chunks).toString()) as Body;
    // Rejected, with an error status or by a broken connection.
    const isTaken = dice > 0.04;
    const arrival: Arrival = {
      endpoint: request.url!.slice(1),
      id,
      sequence: Number(sequence),
      type,
      source,
      isTaken,
      isSame: request.headers["webhook-id"] === id,
    };
    writeSync(journal, `${JSON.stringify(arrival)}\n`);
    const answer = (): void => {
      // Accepted, but the response is lost: it must come again.
      if (dice > 0.04 && dice < 0.06) request.socket.destroy();
      else if (dice < 0.02) request.socket.destroy();
      else response.writeHead(isTaken ? 204 : 503).end();
    };
    if (dice > 0.95) setTimeout(answer, 300);
    else answer();
  });
});
server.listen(0, "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
