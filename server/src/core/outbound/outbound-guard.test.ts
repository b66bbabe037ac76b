import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { connect as netConnect } from "node:net";
import { Duplex } from "node:stream";
import { createServer as createTlsServer } from "node:tls";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { addressProblem, checkUrl } from "./outbound-guard.ts";
import type { Target } from "./outbound-request.ts";
import { createHttpClient } from "./outbound.ts";

/** Nothing in here opens a connection to anywhere but a loopback server of this file: names and sockets are made up. */
function guarded(
  addresses: Record<string, string[]>,
  open?: (target: Target) => Promise<Socket>,
  allowPrivate = false,
  credentialsFor?: string[],
) {
  const asked: string[] = [];
  const connected: Target[] = [];
  const client = createHttpClient({
    allowPrivate,
    credentialsFor,
    breakerKey: `guard-${Math.random()}`,
    attempts: 1,
    resolve: (hostname) => {
      asked.push(hostname);
      return Promise.resolve(addresses[hostname] ?? []);
    },
    connect: (target) => {
      connected.push(target);
      return open ? open(target) : Promise.resolve(fakeSocket("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi"));
    },
  });
  return { client, asked, connected };
}

function fakeSocket(answer: string, onText: (text: string) => void = () => {}): Socket {
  const socket = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      onText(chunk.toString());
      done();
      this.push(answer);
    },
  });
  return Object.assign(socket, { ref: () => socket, unref: () => socket }) as unknown as Socket;
}

const innerAddresses = [
  "127.0.0.1", "127.8.8.8", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "100.127.255.254",
  "169.254.1.1", "169.254.169.254", "100.100.100.200", "168.63.129.16", "192.0.0.192", "0.0.0.0", "0.1.2.3",
  "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "198.18.0.1", "192.0.2.1", "203.0.113.9",
  "::", "::1", "::7f00:1", "::8.8.8.8", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "fe80::1", "fc00::1",
  "fd00:ec2::254", "fd12:3456::1", "ff02::1", "64:ff9b::7f00:1", "64:ff9b:1::a00:1", "2002:7f00:1::", "2001:0::1",
  "2001:db8::1", "fec0::1", "100::1", "5f00::1",
]; // prettier-ignore

test.each(innerAddresses)("%s is refused when a name points to it", async (address) => {
  const { client, connected } = guarded({ "shop.example": [address] });
  await expect(client.request({ url: "https://shop.example/" })).rejects.toMatchObject({
    code: "address_not_allowed",
    retryable: false,
    mayHaveHappened: false,
  });
  expect(connected).toEqual([]);
});

const innerUrls = [
  "http://127.0.0.1/", "http://127.1/", "http://2130706433/", "http://0x7f000001/", "http://0x7f.1/", "http://0177.0.0.1/",
  "http://017700000001/", "http://127.0.0.1./", "http://0/", "http://0.0.0.0/", "http://[::1]/", "http://[::]/",
  "http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/", "http://[::127.0.0.1]/", "http://[0:0:0:0:0:0:0:1]/",
  "http://[64:ff9b::127.0.0.1]/", "http://169.254.169.254/latest/meta-data/", "http://2852039166/", "http://0xa9fea9fe/",
  "http://[fe80::1]/", "http://[fd00:ec2::254]/", "http://10.1.2.3:8080/", "http://192.168.0.1:22/", "http://①②⑦.0.0.1/",
  "http://127.0.0.1%2e/", "https://100.100.100.200/", "http://[2002:7f00:1::]/", "http://172.16.5.4/", "HTTP://127.0.0.1/",
]; // prettier-ignore

test.each(innerUrls)("%s is refused before anything is looked up", async (url) => {
  const { client, asked, connected } = guarded({});
  const error = await client.request({ url }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: expect.stringMatching(/^(address_not_allowed|invalid_url)$/) });
  expect([asked, connected]).toEqual([[], []]);
});

test.each(innerUrls)("%s is refused by its text alone, so that a setting can be refused when it is made", (url) => {
  expect(() => checkUrl(url, false)).toThrow(/does not call such addresses|not a URL/);
});

test.each([
  "ftp://shop.example/",
  "file:///etc/passwd",
  "gopher://shop.example",
  "data:text/plain,x",
  "",
  "//shop.example",
  "https://",
])("%s is no address that can be called", async (url) => {
  const { client, connected } = guarded({ "shop.example": ["93.184.215.14"] });
  await expect(client.request({ url })).rejects.toMatchObject({ code: "invalid_url" });
  expect(connected).toEqual([]);
});

test("a user name in the address is refused, since it would be written to logs", async () => {
  const { client } = guarded({ "shop.example": ["93.184.215.14"] });
  await expect(client.request({ url: "https://me:secret@shop.example/" })).rejects.toMatchObject({
    code: "invalid_url",
  });
});

test("the connection goes to the address that was checked, and the name is not asked for again", async () => {
  const { client, asked, connected } = guarded({ "shop.example": ["93.184.215.14"] });
  expect((await client.request({ url: "http://shop.example/x" })).text).toBe("hi");
  expect(asked).toEqual(["shop.example"]);
  expect(connected).toEqual([{ address: "93.184.215.14", port: "", protocol: "http:", hostname: "shop.example" }]);
});

test("one inner address among outer ones is reason enough to refuse", async () => {
  const { client, connected } = guarded({ "shop.example": ["93.184.215.14", "10.0.0.8"] });
  await expect(client.request({ url: "https://shop.example/" })).rejects.toMatchObject({ code: "address_not_allowed" });
  expect(connected).toEqual([]);
});

test("a name that points inside from the second look-up on is refused then", async () => {
  const addresses = { "shop.example": ["93.184.215.14"] };
  const closing = (): Promise<Socket> =>
    Promise.resolve(fakeSocket("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"));
  const { client, connected } = guarded(addresses, closing);
  expect((await client.request({ url: "http://shop.example/" })).status).toBe(200);
  addresses["shop.example"] = ["169.254.169.254"];
  await expect(client.request({ url: "http://shop.example/" })).rejects.toMatchObject({ code: "address_not_allowed" });
  expect(connected.length).toBe(1);
});

const inside = createServer((_request, response) => response.end("inside"));
await new Promise<void>((resolve) => inside.listen(0, "127.0.0.1", resolve));
afterAll(() => inside.close());
const { port } = inside.address() as AddressInfo;

test("a connection that ends up inside after all is not used", async () => {
  let requests = 0;
  inside.on("request", () => requests++);
  const { client } = guarded({ "shop.example": ["93.184.215.14"] }, async () => {
    const socket = netConnect(port, "127.0.0.1");
    await new Promise((resolve) => socket.once("connect", resolve));
    return socket;
  });
  await expect(client.request({ url: "http://shop.example/" })).rejects.toMatchObject({ code: "address_not_allowed" });
  expect(requests).toBe(0);
});

test("a redirect inside is not followed", async () => {
  const { client, connected } = guarded({ "shop.example": ["93.184.215.14"] }, () =>
    Promise.resolve(fakeSocket("HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1/admin\r\ncontent-length: 0\r\n\r\n")),
  );
  await expect(client.request({ url: "http://shop.example/" })).rejects.toMatchObject({ code: "redirect_not_allowed" });
  expect(connected.map(({ address }) => address)).toEqual(["93.184.215.14"]);
});

test("when private addresses are allowed, loopback and private ones are, link-local and metadata ones are not", () => {
  for (const address of ["127.0.0.1", "10.0.0.1", "192.168.1.1", "100.64.0.1", "::1", "fd12::1", "::ffff:127.0.0.1"]) {
    expect(addressProblem(address, true), address).toBeUndefined();
  }
  for (const address of [
    "169.254.169.254",
    "100.100.100.200",
    "fd00:ec2::254",
    "fe80::1",
    "224.0.0.1",
    "0.0.0.0",
    "::",
  ]) {
    expect(addressProblem(address, true), address).toBeDefined();
  }
});

test("an IPv4 address is judged the same when it is written as IPv6", () => {
  fc.assert(
    fc.property(fc.ipV4(), fc.boolean(), (address, allowPrivate) => {
      expect(addressProblem(`::ffff:${address}`, allowPrivate)).toEqual(addressProblem(address, allowPrivate));
    }),
  );
});

test("of IPv6 only what is routed passes: 2000::/3, and what is IPv4 in disguise", () => {
  fc.assert(
    fc.property(fc.ipV6(), (address) => {
      if (addressProblem(address, false) !== undefined) return;
      const groups = new URL(`http://[${address}]/`).hostname;
      expect(groups).toMatch(/^\[([23][0-9a-f]{3}:|::ffff:)/);
    }),
    { numRuns: 1000 },
  );
  expect(addressProblem("93.184.215.14", false)).toBeUndefined();
  expect(addressProblem("2606:2800:21f:cb07:6820:80da:af6b:8b2c", false)).toBeUndefined();
  expect(addressProblem("fe80::1%eth0", false)).toBeDefined();
});

test("over TLS the name is asked for, though the connection goes to an address", async () => {
  const names: string[] = [];
  const refusing = createTlsServer({
    SNICallback(name, done) {
      names.push(name);
      done(new Error("no certificate here"));
    },
  });
  await new Promise<void>((resolve) => refusing.listen(0, "127.0.0.1", resolve));
  const { port: tlsPort } = refusing.address() as AddressInfo;
  const client = createHttpClient({
    allowPrivate: true,
    breakerKey: "tls",
    attempts: 1,
    resolve: () => Promise.resolve(["127.0.0.1"]),
  });
  await expect(client.request({ method: "POST", url: `https://shop.example:${tlsPort}/` })).rejects.toMatchObject({
    code: "connect_failed",
    mayHaveHappened: false,
  });
  expect(names).toEqual(["shop.example"]);
  refusing.close();
});

test("security 22: no address of a metadata service is called, whatever else is allowed", () => {
  for (const address of ["fd00:ec2::254", "fd00:ec2::23", "fd00:ec2:0:1::253", "fd20:ce::254", "fd00:c1::a9fe:a9fe"]) {
    expect(addressProblem(address, true), address).toBe("is a metadata service");
  }
  expect(addressProblem("169.254.170.2", true)).toBe("is a metadata service");
  expect(addressProblem("fd00:ec3::1", true)).toBeUndefined();
});

test("security 1: a request with credentials goes to the server they belong to and to no other", async () => {
  const addresses = { "shop.example": ["93.184.215.14"], "other.example": ["93.184.215.15"] };
  const { client, asked } = guarded(addresses, undefined, false, ["https://shop.example/api"]);
  for (const url of ["https://other.example/api", "http://shop.example/api", "https://shop.example:8443/api"]) {
    await expect(client.request({ url })).rejects.toMatchObject({
      code: "credentials_for_other_host",
      retryable: false,
    });
  }
  expect(asked).toEqual([]);
});

test("security 1: without TLS credentials go to private addresses only, however the name is resolved", async () => {
  const plain = async (address: string, allowPrivate: boolean, home?: string) => {
    const { client, connected } = guarded(
      { "erp.example": [address] },
      undefined,
      allowPrivate,
      home === undefined ? undefined : [home],
    );
    const status = await client.request({ url: "http://erp.example/" }).then(
      (answer) => String(answer.status),
      (error: { code: string }) => error.code,
    );
    return [status, connected.length];
  };
  expect(await plain("93.184.215.14", true, "http://erp.example")).toEqual(["https_required", 0]);
  expect(await plain("93.184.215.14", false, "http://erp.example")).toEqual(["https_required", 0]);
  expect(await plain("93.184.215.14", false)).toEqual(["200", 1]);
  expect(await plain("10.1.2.3", true, "http://erp.example")).toEqual(["200", 1]);
  expect(await plain("10.1.2.3", false, "http://erp.example")).toEqual(["address_not_allowed", 0]);
});

describe("a request without credentials", () => {
  const homes = ["https://carrier.example/v2"];
  const names = { "carrier.example": ["8.8.8.8"], "files.example": ["8.8.4.4"], "inner.example": ["10.0.0.1"] };

  test("may go to another server, and carries nothing", async () => {
    let sent = "";
    const open = (): Promise<Socket> =>
      Promise.resolve(fakeSocket("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi", (text) => (sent += text)));
    const { client, connected } = guarded(names, open, false, homes);
    const url = "https://files.example/label.png?signature=1";
    await expect(client.request({ url })).rejects.toMatchObject({ code: "credentials_for_other_host" });
    expect((await client.request({ url, withoutCredentials: true })).text).toBe("hi");
    expect(connected.map(({ hostname }) => hostname)).toEqual(["files.example"]);
    const headers = sent
      .split("\r\n")
      .slice(1)
      .filter((line) => line !== "")
      .map((line) => line.split(":")[0]!.toLowerCase());
    expect(headers.toSorted()).toEqual(["accept", "accept-encoding", "connection", "host", "user-agent"]);
  });

  test.each([
    [{ method: "POST" as const }, "invalid_request"],
    [{ headers: { authorization: "Bearer key" } }, "invalid_request"],
    [{ body: { json: {} } }, "invalid_request"],
    [{ url: "https://inner.example/label.png" }, "address_not_allowed"],
    [{ url: "https://169.254.169.254/latest" }, "address_not_allowed"],
    [{ url: "http://files.example/label.png" }, "https_required"],
    [{ url: "https://key:secret@files.example/label.png" }, "invalid_url"],
  ])("is refused with %j", async (more, code) => {
    const { client, connected } = guarded(names, undefined, false, homes);
    const asked = client.request({ url: "https://files.example/label.png", withoutCredentials: true, ...more });
    await expect(asked).rejects.toMatchObject({ code });
    expect(connected).toEqual([]);
  });

  test("is not redirected to yet another server", async () => {
    const moved = "HTTP/1.1 302 Found\r\nlocation: https://carrier.example/\r\ncontent-length: 0\r\n\r\n";
    const { client, connected } = guarded(names, () => Promise.resolve(fakeSocket(moved)), false, homes);
    const asked = client.request({ url: "https://files.example/label.png", withoutCredentials: true });
    await expect(asked).rejects.toMatchObject({ code: "redirect_not_allowed" });
    expect(connected).toHaveLength(1);
  });
});

test("the bytes of an answer are those that were sent, also compressed ones", async () => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
  const server = createServer((request, response) => {
    const isZipped = request.url === "/zipped";
    response.writeHead(200, { "content-type": "image/png", ...(isZipped && { "content-encoding": "gzip" }) });
    response.end(isZipped ? gzipSync(bytes) : bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = createHttpClient({ allowPrivate: true, breakerKey: "bytes" });
  for (const path of ["/plain", "/zipped"]) {
    expect((await client.request({ url: `${url}${path}` })).bytes.equals(bytes)).toBe(true);
  }
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
