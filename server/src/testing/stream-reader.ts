/** A block of a stream. */
export type Block = { id?: string; event?: string; data?: string; retry?: string; comment?: string };

/** Reads server-sent events block by block. */
export type StreamReader = {
  status: number;
  headers: Headers;
  /** All blocks so far. */
  blocks: Block[];
  /** The next unread block that contains this text. */
  next(isWanted?: (block: Block) => boolean): Promise<Block>;
  /** Resolves when the hub ends the stream. */
  ended: Promise<void>;
  close(): void;
};

export async function openStream(
  url: string,
  headers: Record<string, string>,
  onBlock: (block: Block) => void = () => {},
): Promise<StreamReader> {
  const cut = new AbortController();
  const response = await fetch(url, { headers, signal: cut.signal });
  const blocks: Block[] = [];
  let read = 0;
  let isOver = false;
  let wake = (): void => {};

  async function readAll(): Promise<void> {
    let rest = "";
    const decoder = new TextDecoder();
    try {
      for await (const chunk of response.body!) {
        rest += decoder.decode(chunk as Uint8Array, { stream: true });
        const parts = rest.split("\n\n");
        rest = parts.pop()!;
        const complete = parts.map(parse);
        complete.forEach(onBlock);
        blocks.push(...complete);
        wake();
      }
    } catch {
      // Disconnected by either side.
    }
    isOver = true;
    wake();
  }

  const ended = readAll();
  return {
    status: response.status,
    headers: response.headers,
    blocks,
    ended,
    async next(isWanted = () => true) {
      for (;;) {
        while (read < blocks.length) {
          const block = blocks[read++]!;
          if (isWanted(block)) return block;
        }
        if (isOver) throw new Error(`the stream has ended after ${blocks.length} blocks`);
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
    close: () => cut.abort(),
  };
}

function parse(text: string): Block {
  return Object.fromEntries(
    text.split("\n").map((line) => (line.startsWith(":") ? ["comment", line] : line.split(/: (.*)/s, 2))),
  ) as Block;
}
