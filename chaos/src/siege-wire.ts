import type { Socket } from "node:net";
import { connect } from "node:net";

/** HTTP by hand: a besieger must send more than a client that does everything properly could, and do what none would. */
export type Wanted = {
  method?: string;
  path: string;
  token?: string;
  body?: string | Buffer;
  headers?: Record<string, string>;
  /** What the head says, if that is not the truth. */
  length?: number;
};

export type Answer = { status: number; hasRetryAfter: boolean; head: string };
export type Place = { host: string; port: number };

export function renderRequest({ method, path, token, body, headers = {}, length }: Wanted): Buffer {
  const bytes = Buffer.from(body ?? "");
  const all = { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers };
  const lines = [
    `${method ?? (body === undefined ? "GET" : "POST")} ${path} HTTP/1.1`,
    "host: hub.example",
    ...(token === undefined ? [] : [`authorization: Bearer ${token}`]),
    ...(body === undefined ? [] : [`content-length: ${length ?? bytes.length}`]),
    ...Object.entries(all).map(([name, value]) => `${name}: ${value}`),
  ];
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`), bytes]);
}

/** Everything in 127.0.0.0/8 is this machine, on Linux without any preparation: strangers come from many addresses. */
export function dial({ host, port }: Place, from?: number): Socket {
  const isMany = from !== undefined && process.platform === "linux";
  const localAddress = isMany ? { localAddress: `127.0.1.${1 + (from % 200)}` } : {};
  return connect({ host, port, noDelay: true, ...localAddress });
}

const endOfHead = "\r\n\r\n";
const lastChunk = Buffer.from("0\r\n\r\n");
const nothing = Buffer.alloc(0);

/** Takes what comes on a connection and tells of each answer when all of it has come. */
export function readAnswers(tell: (answer: Answer) => void): (chunk: Buffer) => void {
  let rest: Buffer = nothing;
  let answer: Answer | undefined;
  /** Of the body; undefined: it comes in chunks. */
  let left: number | undefined = 0;

  /** False: more has to come first. */
  function takeOne(): boolean {
    if (!answer) {
      const end = rest.indexOf(endOfHead);
      if (end === -1) return false;
      const head = rest.subarray(0, end).toString("latin1");
      rest = rest.subarray(end + endOfHead.length);
      const status = Number(head.slice(9, 12));
      if (status === 100) return true;
      answer = { status, hasRetryAfter: /\nretry-after: /i.test(head), head };
      const length = /\ncontent-length: (\d+)/i.exec(head)?.[1];
      left = /\ntransfer-encoding: chunked/i.test(head) ? undefined : Number(length ?? 0);
    }
    if (left === undefined) {
      const end = rest.indexOf(lastChunk);
      if (end === -1) {
        rest = rest.subarray(-lastChunk.length + 1);
        return false;
      }
      rest = rest.subarray(end + lastChunk.length);
    } else if (left > rest.length) {
      left -= rest.length;
      rest = nothing;
      return false;
    } else rest = rest.subarray(left);
    tell(answer);
    answer = undefined;
    return true;
  }

  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (rest.length > 0 && takeOne());
  };
}
