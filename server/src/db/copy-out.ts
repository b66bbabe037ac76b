import type { ClientBase, Connection } from "pg";
import pg from "pg";

/** Receives one row with its line end. The bytes are valid only during the call. A returned promise pauses the stream. */
export type TakeRow = (row: Buffer) => Promise<void> | undefined;

/**
 * COPY ... TO STDOUT, which the driver does not support itself. The socket is paused while `take` is busy, so that memory does
 * not grow with the table. Returns the number of rows reported by the server.
 */
export async function copyOut(client: ClientBase, statement: string, take: TakeRow): Promise<number> {
  const ended = Promise.withResolvers<void>();
  let waiting = 0;
  let failure: unknown;
  let counted = -1;
  const fail = (error: unknown, { stream }: Connection): void => {
    failure ??= error;
    // Stops the server from sending the remaining rows.
    stream.destroy();
  };
  const query = Object.assign(new pg.Query(statement), {
    handleCopyData({ chunk }: { chunk: Buffer }, connection: Connection) {
      if (failure !== undefined) return;
      const busy = take(chunk);
      if (!busy) return;
      waiting++;
      connection.stream.pause();
      busy
        .catch((error: unknown) => fail(error, connection))
        .finally(() => {
          if (--waiting === 0) connection.stream.resume();
        });
    },
    handleCommandComplete({ text }: { text: string }) {
      counted = Number(/^COPY (\d+)/.exec(text)?.[1] ?? -1);
    },
    handleReadyForQuery: () => ended.resolve(),
    handleError: (error: Error) => ended.reject(error),
  });
  client.query(query);
  await ended.promise.catch((error: unknown) => {
    throw failure ?? error;
  });
  return counted;
}
