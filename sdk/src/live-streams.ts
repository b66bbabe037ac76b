import type { Event } from "./api-types.ts";
import type { StreamMessage } from "./event-stream.ts";
import { HubApiError, HubConnectionError } from "./problem.ts";
import { wait } from "./wait.ts";

const firstWaitMs = 500;
const longestWaitMs = 10_000;

/** Opens the stream after the message with this ID. */
type Open = (after: string | undefined) => AsyncGenerator<StreamMessage>;

/** Lost connections and temporary failures; others, such as a revoked key or an unknown cursor, are thrown. */
export function isTemporary(error: unknown): boolean {
  if (error instanceof HubConnectionError) return true;
  return error instanceof HubApiError && (error.status === 408 || error.status === 429 || error.status >= 502);
}

/**
 * Messages of a stream that reconnects after the last ID it has read. Waits longer after each attempt without a message.
 * `mustConnect`: throws if the first connection fails.
 */
async function* reconnecting(
  open: Open,
  after: string | undefined,
  signal: AbortSignal | undefined,
  mustConnect = false,
) {
  let last = after;
  let failures = 0;
  let isFirst = mustConnect;
  for (;;) {
    try {
      for await (const message of open(last)) {
        isFirst = false;
        failures = 0;
        last = message.id ?? last;
        yield message;
      }
    } catch (error) {
      // A wrong address would otherwise be called for ever, without a word.
      if (isFirst && error instanceof HubConnectionError) throw error;
      if (signal?.aborted || !isTemporary(error)) throw error;
    }
    isFirst = false;
    if (signal?.aborted) throw signal.reason;
    await wait(Math.min(firstWaitMs * 2 ** failures++, longestWaitMs), signal);
  }
}

/**
 * Events as they happen. After a lost connection it resumes where it was: no event is missing or comes twice. Throws if the
 * hub cannot be reached at the start.
 */
export async function* followEvents(
  open: Open,
  after: string | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<Event> {
  for await (const { data } of reconnecting(open, after, signal, true)) {
    // Blocks with only an ID advance the cursor.
    if (data !== "") yield JSON.parse(data) as Event;
  }
}

/** States of a record until it has ended; the last one is final. Reconnects after a lost connection. */
export async function* followRecord(open: Open, signal: AbortSignal | undefined): AsyncGenerator {
  for await (const { event, data } of reconnecting(open, undefined, signal)) {
    if (data !== "") yield JSON.parse(data);
    if (event === "end") return;
  }
}
