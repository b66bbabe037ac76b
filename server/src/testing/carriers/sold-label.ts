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

/** `phone`: some carriers want to call the sender. */
export async function buyThroughHub(org: TestOrg, accountId: string, phone?: string): Promise<SoldThroughHub> {
  const from = { ...aParcel.from, ...(phone === undefined ? {} : { name: "Shipping desk", phone }) };
  const { weight } = aParcel;
  const quoted = await org.post(`/carrier-accounts/${accountId}/quote`, {
    origin: from,
    destination: aParcel.to,
    weight,
    dimensions,
  });
  const service = quoted.body.quotes?.[0]?.service as string | undefined;
  if (service === undefined) throw new Error(`no price: ${quoted.text}`);
  const reference = `R-${crypto.randomUUID().slice(0, 8)}`;
  const parcel = { carrierAccountId: accountId, service, from, to, weight, dimensions, reference };
  const { status, text, body } = await org.post("/shipments/labels", parcel);
  if (status !== 201) throw new Error(`the label was not bought: ${text}`);
  const { id, trackingNumber, shipmentId, cost } = body.label;
  return { id, trackingNumber, shipmentId, cost };
}
