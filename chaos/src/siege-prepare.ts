import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { demoCards } from "../../server/src/carriers/demo/demo-cards.ts";
import { costlyWorkbooks } from "../../server/src/testing/costly-workbooks.ts";
import { adminPassword } from "../../server/src/testing/launch-hub.ts";
import { costlyMappings } from "./siege-attacks.ts";

type Json = Record<string, unknown>;
type Call = (method: string, path: string, body?: unknown) => Promise<Json>;

/** The attacking organization, with the records that its requests need. */
export type Attacker = {
  token: string;
  orderIds: string[];
  bridgeId: string;
  transformationId: string;
  comparisonId: string;
  /** A csv bridge whose folder has costly files. */
  filesBridgeId: string;
};

export type Organizations = { quiet: { id: string; token: string; orderIds: string[] }; attacker: Attacker };

/** Records of the attacking organization. */
export type SiegeSize = { orders: number; parcels: number };

const quietOrders = 200;
const bulkOrders = 2_000;

export async function prepareOrganizations(url: string, size: SiegeSize, filesDir: string): Promise<Organizations> {
  const { call, token } = await newOrganization(url, "Quiet");
  const { organization } = (await call("GET", "/me")) as { organization: { id: string } };
  const orderIds = await makeOrders(call, quietOrders);
  const attacker = await prepareAttacker(await newOrganization(url, "Attacker"), size, filesDir);
  return { quiet: { id: organization.id, token, orderIds }, attacker };
}

function caller(url: string, token?: string): Call {
  return async (method, path, body) => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${text.slice(0, 1_000)}`);
    return JSON.parse(text) as Json;
  };
}

async function signIn(url: string, email: string): Promise<Call> {
  const { accessToken } = await caller(url)("POST", "/auth/token", { email, password: adminPassword });
  return caller(url, String(accessToken));
}

/** An API key works across restarts. */
async function newOrganization(url: string, name: string): Promise<{ call: Call; token: string }> {
  const email = `${name.toLowerCase()}@org.example`;
  const operator = await signIn(url, "admin@hub.local");
  await operator("POST", "/organizations", { name, admin: { email, password: adminPassword } });
  const { key } = await (await signIn(url, email))("POST", "/api-keys", { name: "siege", scopes: ["admin"] });
  return { call: caller(url, String(key)), token: String(key) };
}

async function makeOrders(call: Call, count: number): Promise<string[]> {
  const order = {
    status: "ready",
    customer: { name: "Ada Byron", email: "ada@example.com" },
    shippingAddress: {
      name: "Ada Byron",
      address1: "5 Main Street",
      city: "Springfield",
      zip: "62701",
      countryCode: "US",
    },
    lines: [
      { sku: "MUG-01", quantity: 2, price: 9.5 },
      { sku: "CUP-02", quantity: 1, price: 4 },
    ],
    total: 23,
  };
  const ids: string[] = [];
  while (ids.length < count) {
    const orders = Array.from({ length: Math.min(bulkOrders, count - ids.length) }, () => order);
    const { results } = (await call("POST", "/orders/bulk", { orders })) as { results: { id: string }[] };
    ids.push(...results.map(({ id }) => id));
  }
  return ids;
}

async function prepareAttacker(
  { call, token }: { call: Call; token: string },
  size: SiegeSize,
  filesDir: string,
): Promise<Attacker> {
  const orderIds = await makeOrders(call, size.orders);
  const { id: bridgeId } = await call("POST", "/bridges", { name: "Slow", connector: "demo", concurrency: 50 });
  const { id: accountId } = await call("POST", "/carrier-accounts", { name: "Cards", carrier: "rate-card" });
  await call("POST", `/carrier-accounts/${String(accountId)}/rate-cards`, { card: demoCards()[1]!.card });
  const { comparison } = await call("POST", "/rate-comparisons/import", {
    name: "Large",
    carrierAccountId: accountId,
    csv: parcelsCsv(size.parcels),
  });
  const about = { name: "Costly", bridgeId, taskName: "noop", direction: "inbound", mappings: costlyMappings };
  const { id: transformationId } = await call("POST", "/transformations", about);
  return {
    token,
    orderIds,
    bridgeId: String(bridgeId),
    transformationId: String(transformationId),
    comparisonId: String((comparison as Json).id),
    filesBridgeId: await prepareFiles(call, filesDir),
  };
}

const filesOfEach = 3;

/** A csv bridge with costly files in its folder. */
async function prepareFiles(call: Call, filesDir: string): Promise<string> {
  const { organization } = (await call("GET", "/me")) as { organization: { id: string } };
  const folder = path.join(filesDir, "live", organization.id, "in");
  await mkdir(folder, { recursive: true });
  for (const [kind, workbook] of costlyWorkbooks().entries()) {
    for (let i = 0; i < filesOfEach; i++) await writeFile(path.join(folder, `costly-${kind}-${i}.xlsx`), workbook);
  }
  const { id } = await call("POST", "/bridges", { name: "Files", connector: "csv", settings: { importFolder: "in" } });
  return String(id);
}

function parcelsCsv(count: number): string {
  const lines = ["trackingNumber,netCost,serviceType,originZip,destinationZip,weight,weightUnit"];
  for (let i = 0; i < count; i++) {
    const mixed = Math.imul(i + 1, 2_654_435_761) >>> 0;
    const zip = String(1001 + (mixed % 98_000)).padStart(5, "0");
    lines.push(`1Z${i},${(800 + (mixed % 3500)) / 100},UPS Ground,07114,${zip},${(mixed % 2000) / 100 + 0.1},lb`);
  }
  return lines.join("\n");
}
