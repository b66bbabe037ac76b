import { once } from "node:events";
import type { ClientBase, Connection } from "pg";
import pg from "pg";

/**
 * COPY ... FROM STDIN, which the driver does not support itself. Rows are generated while the server receives earlier ones, so
 * the generator cannot use this connection. An error of the generator aborts the statement and is rethrown.
 */
export async function copyIn(
  client: ClientBase,
  statement: string,
  rows: AsyncIterable<string | Buffer>,
): Promise<void> {
  const begun = Promise.withResolvers<Connection["stream"]>();
  const ended = Promise.withResolvers<void>();
  // It may be rejected before it is awaited.
  ended.promise.catch(() => {});
  let hasFailed = false;
  // An instance of pg.Query, since the driver rejects other submittables on a pipelined connection.
  const query = Object.assign(new pg.Query(statement), {
    handleCopyInResponse: (connection: Connection) => begun.resolve(connection.stream),
    handleCommandComplete() {},
    handleReadyForQuery: () => ended.resolve(),
    handleError(error: Error) {
      hasFailed = true;
      begun.reject(error);
      ended.reject(error);
    },
  });
  client.query(query);
  const stream = await begun.promise;
  try {
    for await (const text of rows) {
      // After an error the server discards further rows.
      if (hasFailed) break;
      if (!stream.write(messageOf("d", text))) await Promise.race([once(stream, "drain"), ended.promise]);
    }
  } catch (error) {
    stream.write(messageOf("f", "generating the rows failed\0"));
    await ended.promise.catch(() => {});
    throw error;
  }
  stream.write(messageOf("c", ""));
  await ended.promise;
}

/** A protocol message: type byte, length and content. */
function messageOf(type: "d" | "f" | "c", content: string | Buffer): Buffer {
  const length = Buffer.byteLength(content);
  const message = Buffer.allocUnsafe(5 + length);
  message.write(type, 0, "latin1");
  message.writeInt32BE(4 + length, 1);
  if (typeof content === "string") message.write(content, 5);
  else content.copy(message, 5);
  return message;
}
