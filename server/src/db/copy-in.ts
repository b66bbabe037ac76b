import { once } from "node:events";
import type { ClientBase, Connection } from "pg";
import pg from "pg";

/**
 * COPY ... FROM STDIN, which the driver has messages but no call for. Rows are made while the server takes in those before
 * them; whoever makes them cannot use this connection meanwhile. What they throw ends the statement, and is thrown.
 */
export async function copyIn(
  client: ClientBase,
  statement: string,
  rows: AsyncIterable<string | Buffer>,
): Promise<void> {
  const begun = Promise.withResolvers<Connection["stream"]>();
  const ended = Promise.withResolvers<void>();
  // It may end while nobody waits for that.
  ended.promise.catch(() => {});
  let isOver = false;
  // Of its class: others the driver would refuse on a connection that several statements may be on their way over.
  const query = Object.assign(new pg.Query(statement), {
    handleCopyInResponse: (connection: Connection) => begun.resolve(connection.stream),
    handleCommandComplete() {},
    handleReadyForQuery: () => ended.resolve(),
    handleError(error: Error) {
      isOver = true;
      begun.reject(error);
      ended.reject(error);
    },
  });
  client.query(query);
  const stream = await begun.promise;
  try {
    for await (const text of rows) {
      // The server has refused a row: what comes now it throws away.
      if (isOver) break;
      if (!stream.write(messageOf("d", text))) await Promise.race([once(stream, "drain"), ended.promise]);
    }
  } catch (error) {
    stream.write(messageOf("f", "the rows could not be made\0"));
    await ended.promise.catch(() => {});
    throw error;
  }
  stream.write(messageOf("c", ""));
  await ended.promise;
}

/** As the protocol has it: a letter, the length of all that follows, and that. */
function messageOf(type: "d" | "f" | "c", content: string | Buffer): Buffer {
  const length = Buffer.byteLength(content);
  const message = Buffer.allocUnsafe(5 + length);
  message.write(type, 0, "latin1");
  message.writeInt32BE(4 + length, 1);
  if (typeof content === "string") message.write(content, 5);
  else content.copy(message, 5);
  return message;
}
