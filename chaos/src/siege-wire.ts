import type { Socket } from "node:net";
import { connect } from "node:net";

/** HTTP by hand: attackers do what no HTTP client does. */
export type Outgoing = {
  method?: string;
  path: string;
  token?: string;
  body?: string | Buffer;
  headers?: Record<string, string>;
  /** A Content-Length that is not the real one. */
  length?: number;
};

export type Response = { status: number; hasRetryAfter: boolean; head: string };
export type Target = { host: string; port: number };

export function renderRequest({ method, path, token, body, headers = {}, length }: Outgoing): Buffer {
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

/** From one of 200 addresses: on Linux, everything in 127.0.0.0/8 is this machine. */
export function connectTo({ host, port }: Target, from?: number): Socket {
  const isMany = from !== undefined && process.platform === "linux";
  const localAddress = isMany ? { localAddress: `127.0.1.${1 + (from % 200)}` } : {};
  return connect({ host, port, noDelay: true, ...localAddress });
}

const endOfHead = "\r\n\r\n";
const lastChunk = Buffer.from("0\r\n\r\n");
const nothing = Buffer.alloc(0);

/** Parses what arrives on a connection and reports each complete response. */
export function readResponses(report: (response: Response) => void): (chunk: Buffer) => void {
  let rest: Buffer = nothing;
  let response: Response | undefined;
  /** Bytes of the body; undefined: chunked. */
  let left: number | undefined = 0;

  /** False: more data is needed. */
  function takeOne(): boolean {
    if (!response) {
      const end = rest.indexOf(endOfHead);
      if (end === -1) return false;
      const head = rest.subarray(0, end).toString("latin1");
      rest = rest.subarray(end + endOfHead.length);
      const status = Number(head.slice(9, 12));
      if (status === 100) return true;
      response = { status, hasRetryAfter: /\nretry-after: /i.test(head), head };
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
    report(response);
    response = undefined;
    return true;
  }

  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (rest.length > 0 && takeOne());
  };
}
