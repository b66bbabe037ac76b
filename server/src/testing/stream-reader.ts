/** A block of a stream, as it was sent. */
export type Block = { id?: string; event?: string; data?: string; retry?: string; comment?: string };

/** Reads server-sent events block by block, as they come over the wire. */
export type StreamReader = {
  status: number;
  headers: Headers;
  /** All that came. */
  blocks: Block[];
  /** The next block that has this, of those that were not asked for before. */
  next(isWanted?: (block: Block) => boolean): Promise<Block>;
  /** Resolves when the hub has ended it. */
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
      // Cut off, by whichever side.
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
