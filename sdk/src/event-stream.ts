import { HubConnectionError } from "./problem.ts";

/** A message of a text/event-stream (WHATWG). */
export type StreamMessage = { event: string; id: string | undefined; data: string };

/**
 * Messages of a stream until it ends. Also yields blocks that only have an ID, without data: they advance the cursor. Throws
 * a HubConnectionError if the connection breaks, or if nothing arrives for `maxSilenceMs`.
 */
export async function* readEventStream(
  body: ReadableStream<Uint8Array>,
  maxSilenceMs = Number.POSITIVE_INFINITY,
): AsyncGenerator<StreamMessage> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await readWithin(reader, maxSilenceMs);
      if (done) return;
      const blocks = (rest + value).split(/\r\n\r\n|\n\n|\r\r/);
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const message = parseBlock(block);
        if (message) yield message;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

type Reader = ReadableStreamDefaultReader<string>;

async function readWithin(reader: Reader, ms: number): Promise<Awaited<ReturnType<Reader["read"]>>> {
  if (ms === Number.POSITIVE_INFINITY) return await reader.read();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new HubConnectionError(new Error(`Nothing arrived for ${ms} ms.`))), ms);
  });
  try {
    return await Promise.race([reader.read(), silence]);
  } catch (error) {
    const isKnown = error instanceof HubConnectionError || (error as Error).name === "AbortError";
    throw isKnown ? error : new HubConnectionError(error);
  } finally {
    clearTimeout(timer);
  }
}

function parseBlock(block: string): StreamMessage | undefined {
  let event = "message";
  let id: string | undefined;
  const data: string[] = [];
  for (const line of block.split(/\r\n|\n|\r/)) {
    const colon = line.indexOf(":");
    if (colon === 0) continue;
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") event = value;
    else if (field === "data") data.push(value);
    else if (field === "id") id = value;
  }
  return data.length === 0 && id === undefined ? undefined : { event, id, data: data.join("\n") };
}
