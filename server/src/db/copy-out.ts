import type { ClientBase, Connection } from "pg";
import pg from "pg";

/** Takes one row, its line end included. The bytes are valid during the call only. A returned promise pauses the stream. */
export type TakeRow = (row: Buffer) => Promise<void> | undefined;

/**
 * COPY ... TO STDOUT, which the driver has messages but no call for. Nothing is read from the socket while `take` is busy,
 * so that memory does not grow with the table. Returns the number of rows that the server has counted.
 */
export async function copyOut(client: ClientBase, statement: string, take: TakeRow): Promise<number> {
  const ended = Promise.withResolvers<void>();
  let waiting = 0;
  let failure: unknown;
  let counted = -1;
  const fail = (error: unknown, { stream }: Connection): void => {
    failure ??= error;
    // The rows that are still to come would be sent for nothing.
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
