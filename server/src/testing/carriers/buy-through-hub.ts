import { aParcel } from "../../features/labels/labels.schemas.ts";
import type { TestOrg } from "../test-hub.ts";
import type { AccountRequest } from "./stand-in-accounts.ts";

const to = { ...aParcel.to, phone: "5555550123" };
const dimensions = { length: 10, width: 8, height: 4, unit: "in" };

/** A label bought through the hub with the cheapest service of this account. */
export type SoldThroughHub = { id: string; trackingNumber: string; shipmentId: string; cost: number };

/** Creates the account in the organization. Each has a name of its own. */
export async function connectAccount(org: TestOrg, account: AccountRequest): Promise<string> {
  const { status, text, body } = await org.post("/carrier-accounts", {
    ...account,
    name: `${account.name} ${crypto.randomUUID()}`,
  });
  if (status !== 201) throw new Error(`the account was not created: ${text}`);
  return (body as { id: string }).id;
}

/** `phone`: some carriers want to call the sender. `service`: default is the cheapest one. */
export async function buyThroughHub(
  org: TestOrg,
  accountId: string,
  { phone, service }: { phone?: string; service?: string } = {},
): Promise<SoldThroughHub> {
  const { weight } = aParcel;
  const from = { ...aParcel.from, ...(phone === undefined ? {} : { name: "Shipping desk", phone }) };
  const { status, text, body } = await org.post("/shipments/labels", {
    carrierAccountId: accountId,
    service: service ?? (await cheapest(org, accountId, from)),
    from,
    to,
    weight,
    dimensions,
    reference: `R-${crypto.randomUUID().slice(0, 8)}`,
  });
  if (status !== 201) throw new Error(`the label was not bought: ${text}`);
  const { id, trackingNumber, shipmentId, cost } = body.label;
  return { id, trackingNumber, shipmentId, cost };
}

async function cheapest(org: TestOrg, accountId: string, origin: object): Promise<string> {
  const parcel = { origin, destination: aParcel.to, weight: aParcel.weight, dimensions };
  const { text, body } = await org.post(`/carrier-accounts/${accountId}/quote`, parcel);
  const service = body.quotes?.[0]?.service as string | undefined;
  if (service === undefined) throw new Error(`no price: ${text}`);
  return service;
}
