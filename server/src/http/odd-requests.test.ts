import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { startTestHub } from "../testing/test-hub.ts";
import { securityHeaders } from "./security-headers.ts";

const hub = await startTestHub();
const org = await hub.org();
const port = Number(new URL(hub.url).port);
const sets = "/condition-sets";

/** Sends a text as it is; what came back until the hub closed the connection, or the caller did. */
function send(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.end(text));
    let answer = "";
    socket.on("data", (chunk) => (answer += chunk.toString()));
    socket.on("end", () => resolve(answer));
    socket.on("error", reject);
  });
}

function readAnswer(answer: string) {
  const [head, body] = answer.split("\r\n\r\n", 2) as [string, string];
  return { status: Number(head.split(" ")[1]), head: head.toLowerCase(), body: JSON.parse(body) };
}

describe("methods that no route has (protocol 5)", () => {
  test.each(["QUERY", "PROPFIND", "SEARCH", "TRACE", "M-SEARCH", "ACL"])("%s gets 405 or 501", async (method) => {
    for (const path of ["/", "/healthz", "/api/v1/condition-sets", "/api/v1/orders/x", "/v1/overview"]) {
      const answer = readAnswer(await send(`${method} ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`));
      expect([path, answer.status]).toEqual([path, 405]);
      expect(answer.head).toMatch(/\r\nallow: [a-z, ]*get/);
      expect((answer.body.error ?? answer.body).code).toBe("method_not_allowed");
    }
    const unknown = readAnswer(await send(`${method} /nowhere HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`));
    expect(unknown).toMatchObject({ status: 501, body: { code: "not_implemented", status: 501 } });
  });

  test("an unknown method and CONNECT get 501 as a problem", async () => {
    for (const line of ["BREW /pot HTTP/1.1", "CONNECT example.com:443 HTTP/1.1"]) {
      const answer = readAnswer(await send(`${line}\r\nhost: x\r\n\r\n`));
      expect(answer).toMatchObject({ status: 501, body: { code: "not_implemented" } });
      expect(answer.head).toContain("application/problem+json");
    }
  });

  test("POST to a page gets 405", async () => {
    const { status, headers } = await hub.anonymous.call("POST", "!/healthz");
    expect([status, headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });
});

describe("requests that are rejected before routing", () => {
  test.each(["GET /% HTTP/1.1", "GET /%ff HTTP/1.1", "GET /api/v1/orders/%zz HTTP/1.1", "BREW / HTTP/1.1"])(
    "get the security headers and a request id: %s",
    async (line) => {
      const { status, head } = readAnswer(await send(`${line}\r\nhost: x\r\nconnection: close\r\n\r\n`));
      expect(status).toBeGreaterThanOrEqual(400);
      for (const [name, value] of Object.entries(securityHeaders)) {
        expect(head).toContain(`${name}: ${value.toLowerCase()}`);
      }
      expect(head).toContain("x-request-id: ");
    },
  );
});

describe("framing (protocol 10)", () => {
  test.each([
    ["no Host", "GET /healthz HTTP/1.1\r\nconnection: close\r\n\r\n", 400, "malformed_request"],
    ["two Hosts", "GET /healthz HTTP/1.1\r\nhost: a\r\nHost: b\r\nconnection: close\r\n\r\n", 400, "malformed_request"],
    ["another expectation", "GET /healthz HTTP/1.1\r\nhost: a\r\nexpect: cake\r\n\r\n", 417, "expectation_failed"],
    [
      "a list of transfer encodings",
      "POST /api/v1/auth/token HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ntransfer-encoding: gzip, chunked\r\nconnection: close\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
      501,
      "not_implemented",
    ],
    [
      "a length and chunks",
      "POST /api/v1/auth/token HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
      400,
      "malformed_request",
    ],
    [
      "two lengths",
      "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}",
      400,
      "malformed_request",
    ],
    ["a length that is none", "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: x\r\n\r\n{}", 400, "malformed_request"],
    ["garbage", "HELLO\r\n\r\n", 400, "malformed_request"],
    ["a header without a name", "GET / HTTP/1.1\r\nhost: a\r\n: b\r\n\r\n", 400, "malformed_request"],
  ])("%s is rejected with a problem that names the cause", async (_, text, status, code) => {
    const answer = readAnswer(await send(text));
    expect(answer).toMatchObject({ status, body: { status, code } });
    expect(answer.head).toMatch(/content-type: application\/problem\+json/);
    expect(answer.head).toMatch(/x-request-id: /);
  });

  test("HTTP/1.0 has no Host", async () => {
    expect(await send("GET /healthz HTTP/1.0\r\n\r\n")).toMatch(/^HTTP\/1.1 200 /);
  });

  test("an unknown path below the reference page gets a problem", async () => {
    const { status, headers, body } = await hub.anonymous.get("!/docs/js/nope");
    expect([status, body.code]).toEqual([404, "route_not_found"]);
    expect(headers.get("content-type")).toMatch(/^application\/problem\+json/);
  });
});

describe("compressed bodies (protocol 10)", () => {
  const post = (rawBody: Buffer, encoding: string, path = sets) =>
    org.post(path, undefined, { rawBody, headers: { "content-encoding": encoding } });

  test.each([
    ["gzip", gzipSync],
    ["x-gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
    ["identity", Buffer.from],
  ] as const)("%s is read", async (encoding, compress) => {
    const answer = await post(compress(Buffer.from(`{"name":"sent as ${encoding}"}`)), encoding);
    expect(answer).toMatchObject({ status: 201, body: { name: `sent as ${encoding}` } });
  });

  test("a wrong or truncated encoding gets 400", async () => {
    const whole = gzipSync(`{"name":"${"x".repeat(50)}"}`);
    for (const bytes of [Buffer.from('{"name":"plain"}'), whole.subarray(0, 20), Buffer.alloc(0)]) {
      const answer = await post(bytes, "gzip");
      expect([answer.status, ["malformed_request", "validation_failed"].includes(answer.body.code)]).toEqual([
        400,
        true,
      ]);
    }
  });

  test("an encoding without a body, on a route without a body, or of another type is harmless", async () => {
    const headers = { "content-encoding": "gzip" };
    expect((await org.get("/me", { headers })).status).toBe(200);
    expect((await org.post("/nowhere", undefined, { headers })).status).toBe(404);
    const rawBody = Buffer.from("not compressed");
    expect(
      (await org.post(sets, undefined, { rawBody, headers: { ...headers, "content-type": "text/plain" } })).status,
    ).toBe(415);
    expect((await org.post("/nowhere", undefined, { rawBody, headers })).status).toBeLessThan(500);
    expect((await org.delete(`${sets}/${crypto.randomUUID()}`, undefined, { rawBody, headers })).status).toBe(400);
    expect((await hub.anonymous.post(sets, undefined, { rawBody, headers })).status).toBe(401);
    expect((await org.get("/me")).status).toBe(200);
  });

  test("another encoding, or two at once, gets 415 with the supported ones", async () => {
    for (const encoding of ["zstd", "gzip, gzip", "compress", "constructor"]) {
      const answer = await post(gzipSync("{}"), encoding);
      expect(answer.body).toMatchObject({ status: 415, code: "unsupported_media_type" });
      expect(answer.headers.get("accept-encoding")).toBe("gzip, deflate, br");
    }
  });

  test("a small body that expands above the limit gets 413", async () => {
    const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024, 0x20), { level: 1 });
    expect(bomb.length).toBeLessThan(2 * 1024 * 1024);
    expect((await post(bomb, "gzip")).body).toMatchObject({ status: 413, code: "body_too_large" });
  });

  test("an Idempotency-Key matches the same request, compressed or not", async () => {
    const key = { "idempotency-key": "k-compressed" };
    const body = '{"name":"once"}';
    const first = await org.post(sets, undefined, { rawBody: body, headers: key });
    const rawBody = gzipSync(body);
    const again = await org.post(sets, undefined, { rawBody, headers: { ...key, "content-encoding": "gzip" } });
    expect([again.status, again.body.id, again.headers.get("idempotency-replayed")]).toEqual([
      201,
      first.body.id,
      "true",
    ]);
  });
});

describe("too large a body (protocol 10)", () => {
  /** Sends all of it before it looks for an answer, as many programs do. */
  const sendThenRead = (headers: Record<string, string>) =>
    new Promise<number>((resolve, reject) => {
      const call = httpRequest(`${hub.url}/api/v1${sets}`, {
        method: "POST",
        headers: { authorization: `Bearer ${org.token}`, "content-type": "application/json", ...headers },
      });
      call.on("response", (response) => {
        response.resume();
        resolve(response.statusCode!);
      });
      call.on("error", reject);
      const part = Buffer.alloc(1024 * 1024, 0x20);
      let left = 40;
      const more = (): void => {
        if (left-- > 0) call.write(part, more);
        else call.end();
      };
      more();
    });

  test("gets 413, not a broken connection, with or without Content-Length", async () => {
    expect(await sendThenRead({ "content-length": String(40 * 1024 * 1024) })).toBe(413);
    expect(await sendThenRead({ "transfer-encoding": "chunked" })).toBe(413);
  });
});

describe("a body of the wrong length", () => {
  const post = (path: string, headers: string): string =>
    `POST /api/v1${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${org.token}\r\n${headers}\r\n\r\n`;
  const chunked = (bytes: Buffer): string => `${bytes.length.toString(16)}\r\n${bytes.toString("latin1")}\r\n`;

  /** What is answered while the connection is open and more could come. */
  async function answerSoFar(head: string, body = ""): Promise<{ status: number; body: { code: string } }> {
    const socket = connect(port, "127.0.0.1");
    socket.write(head + body, "latin1");
    const [answer] = (await once(socket, "data")) as [Buffer];
    socket.destroy();
    return readAnswer(answer.toString());
  }

  test.each(["application/json", "text/plain"])(
    "is rejected above the limit on routes with any body, also before it is sent (%s)",
    async (type) => {
      const path = `/bridges/${crypto.randomUUID()}/inbound-webhooks`;
      const tooLarge = { status: 413, body: { code: "body_too_large" } };
      const known = post(path, `content-type: ${type}\r\ncontent-length: ${1024 ** 2 + 1}`);
      expect(await answerSoFar(known)).toMatchObject(tooLarge);
      const unknown = post(path, `content-type: ${type}\r\ntransfer-encoding: chunked`);
      expect(await answerSoFar(unknown, chunked(Buffer.alloc(1024 ** 2 + 1)))).toMatchObject(tooLarge);
    },
  );

  test("is rejected if its compressed size exceeds the limit, without Content-Length", async () => {
    const bytes = gzipSync(randomBytes(4_096));
    expect(bytes.length).toBeGreaterThan(4_096);
    const json = "content-type: application/json\r\ncontent-encoding: gzip\r\ntransfer-encoding: chunked";
    const answer = await answerSoFar(post("/auth/token", json), `${chunked(bytes)}0\r\n\r\n`);
    expect(answer).toMatchObject({ status: 413, body: { code: "body_too_large" } });
  });

  test("is rejected if it is shorter than its Content-Length", async () => {
    const whole = '{"name":"cut off"}';
    const plain = post(sets, `content-type: application/json\r\ncontent-length: ${whole.length + 5}`);
    expect(readAnswer(await send(plain + whole))).toMatchObject({ status: 400, body: { code: "malformed_request" } });
    // What was packed is whole, and some of what fills up a block behind it is still to come.
    const packed = `${gzipSync(whole).toString("latin1")}\0\0\0\0`;
    const json = "content-type: application/json\r\ncontent-encoding: gzip";
    const early = await answerSoFar(post(sets, `${json}\r\ncontent-length: ${packed.length + 5}`), packed);
    expect(early).toMatchObject({ status: 400, body: { code: "malformed_request" } });
    expect((await org.get(sets)).text).not.toContain("cut off");
  });
});

describe("headers and queries", () => {
  test("utf8 is UTF-8 too", async () => {
    for (const charset of ["utf8", "UTF-8", '"utf-8"']) {
      const headers = { "content-type": `application/json; charset=${charset}` };
      expect(
        (await org.post(sets, undefined, { rawBody: `{"name":"in ${charset.replaceAll('"', "'")}"}`, headers })).status,
      ).toBe(201);
    }
  });

  test("If-Match may name several versions", async () => {
    const { id } = (await org.post(sets, { name: "versions" })).body;
    const patch = (ifMatch: string) =>
      org.patch(`${sets}/${id}`, { description: ifMatch }, { headers: { "if-match": ifMatch } });
    expect((await patch('W/"v7", W/"v1"')).status).toBe(200);
    expect((await patch('"1","9"')).body).toMatchObject({
      status: 412,
      detail: expect.stringContaining("at version 2, not 1 or 9."),
    });
    expect((await patch('"abc"')).body).toMatchObject({
      status: 412,
      detail: expect.stringContaining("If-Match names no version"),
    });
    expect((await patch("*")).status).toBe(200);
  });

  test.each(["limit=0x10", "limit=1e1", "limit=+5", "limit=%205", "limit=1.0", "page=1_0"])(
    "%s is no number; the error names the parameter",
    async (query) => {
      const answer = await org.get(`${sets}?${query}`);
      expect(answer.body.errors).toEqual([
        {
          pointer: `query/${query.split("=")[0]}`,
          code: "type",
          message: "This must be an integer, written in digits.",
        },
      ]);
    },
  );

  test("escapes in a query that are not UTF-8 are rejected; a lone percent sign is literal", async () => {
    for (const search of ["%ff", "a%C3", "%C3%28", "%ED%A0%80"]) {
      const answer = await org.get(`${sets}?limit=5&search=${search}`);
      expect(answer.body.errors).toEqual([expect.objectContaining({ pointer: "query/search", code: "not_utf8" })]);
    }
    for (const search of ["100%", "%C3%A9", "%", "%F0%9F%98%80"])
      expect((await org.get(`${sets}?search=${search}`)).status).toBe(200);
  });

  test("a key of megabytes is not repeated in the response", async () => {
    const key = "k".repeat(5_000_000);
    for (const body of [{ name: "x", [key]: 1 }, { name: { [key]: { [key.slice(9)]: "\ud800" } } }]) {
      const { status, text } = await org.post(sets, body);
      expect(status).toBe(400);
      expect(text.length).toBeLessThan(5_000);
    }
  });
});
