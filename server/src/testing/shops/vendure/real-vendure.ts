import { execFile, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import type { ClientConfig } from "pg";
import pg from "pg";
import { afterFile } from "../../after-file.ts";
import { freePort } from "../../free-port.ts";
import { cloneDatabase } from "../../test-database.ts";

const version = "3.6.3";
/** Packages that were published later may be missing in a mirror of the registry, or break this version. */
const publishedBefore = "2026-06-01";

/** Runs Vendure with its dummy payment method, a tax of 20 % and shipping for 5.00. Prints READY when it can be called. */
const program = `
const { bootstrap, dummyPaymentHandler, manualFulfillmentHandler, LanguageCode, DefaultLogger, LogLevel } = require("@vendure/core");
const { populate } = require("@vendure/core/cli");
const { host, port, user, database } = JSON.parse(process.env.VENDURE_DATABASE);
const config = {
  apiOptions: { hostname: "127.0.0.1", port: Number(process.env.VENDURE_PORT) },
  authOptions: {
    tokenMethod: ["bearer"],
    requireVerification: false,
    superadminCredentials: { identifier: "superadmin", password: "superadmin" },
  },
  dbConnectionOptions: { type: "postgres", synchronize: true, host, port, username: user, password: "", database },
  paymentOptions: { paymentMethodHandlers: [dummyPaymentHandler] },
  shippingOptions: { fulfillmentHandlers: [manualFulfillmentHandler] },
  logger: new DefaultLogger({ level: LogLevel.Warn }),
};
const initialData = {
  defaultLanguage: LanguageCode.en,
  defaultZone: "Europe",
  countries: [{ name: "United Kingdom", code: "GB", zone: "Europe" }],
  taxRates: [{ name: "Standard Tax", percentage: 20 }],
  shippingMethods: [{ name: "Standard Shipping", price: 500 }],
  paymentMethods: [
    {
      name: "Standard Payment",
      handler: { code: "dummy-payment-handler", arguments: [{ name: "automaticSettle", value: "true" }] },
    },
  ],
  collections: [],
};
populate(() => bootstrap(config), initialData, require("node:path").join(__dirname, "products.csv")).then(
  () => console.log("READY"),
  (error) => {
    console.error(error);
    process.exit(1);
  },
);
`;

const products = `name,slug,description,assets,facets,optionGroups,optionValues,sku,price,taxCategory,stockOnHand,trackInventory,variantAssets,variantFacets
Laptop,laptop,A laptop,,,screen size|RAM,13 inch|8GB,L2201308,1299.00,standard,1000,false,,
,,,,,,15 inch|16GB,L2201516,1399.00,standard,1000,false,,
Mug,mug,A mug,,,,,MUG-01,9.50,standard,1000,false,,
`;

/**
 * Installs Vendure from the npm registry into a temporary folder and starts it on a database of the test cluster, on loopback. With
 * VENDURE_DIR, a folder with an installation is used instead. Without a registry there is none, and a text says so; any other failure is
 * an error.
 */
export async function startRealVendure(): Promise<RealVendure | string> {
  const given = process.env.VENDURE_DIR;
  const folder = given ?? (await mkdtemp(path.join(tmpdir(), "vendure-")));
  if (given === undefined) {
    afterFile(() => rm(folder, { recursive: true, force: true }));
    const failure = await installInto(folder);
    if (failure !== undefined) return failure;
  }
  await writeFile(path.join(folder, "server.cjs"), program);
  await writeFile(path.join(folder, "products.csv"), products);
  const { connection, drop } = await cloneDatabase("template0");
  const port = await freePort();
  const child = spawn(process.execPath, ["server.cjs"], {
    cwd: folder,
    env: {
      ...process.env,
      VENDURE_DATABASE: JSON.stringify(connection),
      VENDURE_PORT: String(port),
      VENDURE_DISABLE_TELEMETRY: "true",
    },
  });
  afterFile(async () => {
    if (child.exitCode === null) {
      const isOver = new Promise((resolve) => child.once("exit", resolve));
      child.kill();
      await isOver;
    }
    await drop();
  });
  await new Promise<void>((resolve, reject) => {
    let output = "";
    const read = (chunk: Buffer): void => {
      output += chunk.toString();
      if (output.includes("READY")) resolve();
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("exit", () => reject(new Error(`Vendure did not start: ${output.slice(-2000)}`)));
  });
  return await vendureAt(`http://127.0.0.1:${port}`, connection);
}

const execute = promisify(execFile);

async function installInto(folder: string): Promise<string | undefined> {
  await writeFile(path.join(folder, "package.json"), JSON.stringify({ name: "vendure-test", private: true }));
  const args = ["install", "--no-audit", "--no-fund", "--ignore-scripts", `--before=${publishedBefore}`];
  try {
    await execute("npm", [...args, `@vendure/core@${version}`, "pg"], { cwd: folder, timeout: 900_000 });
    return undefined;
  } catch (error) {
    const unreachable = await findUnreachable(folder);
    if (unreachable !== undefined) return `Vendure cannot be installed without a registry: ${unreachable}`;
    throw error;
  }
}

/** Why npm has no answer of the registry; an answer such as "not found" is one. */
async function findUnreachable(folder: string): Promise<string | undefined> {
  try {
    await execute("npm", ["view", "npm", "version", "--fetch-retries=0", `--cache=${folder}/empty`], {
      cwd: folder,
      timeout: 60_000,
    });
    return undefined;
  } catch (error) {
    const { killed, message } = error as { killed?: boolean; message: string };
    const isLost =
      killed === true || /\b(ENOTFOUND|EAI_AGAIN|E[A-Z_]*(UNREACH|REFUSED|RESET|TIMEDOUT|TIMEOUT))\b/.test(message);
    return isLost ? message.slice(0, 500) : undefined;
  }
}

type Data = Record<string, never>;
export type RealVendure = Awaited<ReturnType<typeof vendureAt>>;

/** Calls of the shop's customers and staff, as the tests need them. */
async function vendureAt(url: string, connection: ClientConfig) {
  const ask = async (api: "shop-api" | "admin-api", query: string, variables: object = {}, token?: string) => {
    const headers = { "content-type": "application/json", ...(token ? { authorization: `Bearer ${token}` } : {}) };
    const response = await fetch(`${url}/${api}`, {
      method: "POST",
      headers,
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = (await response.json()) as { data: Data; errors?: unknown };
    if (errors) throw new Error(`Vendure: ${JSON.stringify(errors)}`);
    return { data, token: response.headers.get("vendure-auth-token") ?? token };
  };
  const login = `mutation { login(username: "superadmin", password: "superadmin") { ... on CurrentUser { id } } }`;
  const { token } = await ask("admin-api", login);
  const admin = async (query: string, variables: object = {}): Promise<Data> =>
    (await ask("admin-api", query, variables, token)).data;
  const { productVariants } = (await admin("{ productVariants { items { id sku } } }")) as never as {
    productVariants: { items: { id: string; sku: string }[] };
  };

  /** Places and pays an order; answers its ID. */
  async function placeOrder(items: Record<string, number>): Promise<string> {
    let session: string | undefined;
    const shop = async (query: string, variables: object = {}): Promise<Data> => {
      const { data, token: given } = await ask("shop-api", query, variables, session);
      session = given;
      return data;
    };
    for (const [sku, quantity] of Object.entries(items)) {
      const { id } = productVariants.items.find((one) => one.sku === sku)!;
      await shop(
        `mutation ($id: ID!, $quantity: Int!) { addItemToOrder(productVariantId: $id, quantity: $quantity) { __typename } }`,
        { id, quantity },
      );
    }
    await shop(
      `mutation { setCustomerForOrder(input: { firstName: "Hayden", lastName: "Zieme", emailAddress: "hayden@example.com" }) { __typename } }`,
    );
    await shop(
      `mutation { setOrderShippingAddress(input: { fullName: "Hayden Zieme", streetLine1: "12 Main Street", city: "Manchester", postalCode: "M1 2AB", countryCode: "GB" }) { __typename } }`,
    );
    const { eligibleShippingMethods: methods } = (await shop("{ eligibleShippingMethods { id } }")) as never as {
      eligibleShippingMethods: { id: string }[];
    };
    await shop("mutation ($id: [ID!]!) { setOrderShippingMethod(shippingMethodId: $id) { __typename } }", {
      id: [methods[0]!.id],
    });
    await shop(`mutation { transitionOrderToState(state: "ArrangingPayment") { __typename } }`);
    const paid = (await shop(
      `mutation { addPaymentToOrder(input: { method: "standard-payment", metadata: {} }) { ... on Order { id } ... on ErrorResult { message } } }`,
    )) as never as {
      addPaymentToOrder: { id?: string; message?: string };
    };
    if (paid.addPaymentToOrder.id === undefined) throw new Error(`Vendure: ${paid.addPaymentToOrder.message}`);
    return paid.addPaymentToOrder.id;
  }

  /** As if these orders had last been changed an hour earlier. */
  async function makeOlder(ids: readonly string[]): Promise<void> {
    const client = new pg.Client(connection);
    await client.connect();
    try {
      const older = `update "order" set "updatedAt" = "updatedAt" - interval '1 hour' where id::text = any($1)`;
      const { rowCount } = await client.query(older, [ids]);
      if (rowCount !== ids.length) throw new Error(`Vendure has ${rowCount} of ${ids.length} orders`);
    } finally {
      await client.end();
    }
  }

  return { url, token: token!, admin, placeOrder, makeOlder };
}
