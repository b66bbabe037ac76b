import { describe, expect, test } from "vitest";
import { carriers } from "../../carriers/installed-carriers.ts";
import type { LabelFile } from "../../carriers/seam/labels.ts";
import { makeOnce } from "../../core/make-once.ts";
import { afterFile } from "../../testing/after-file.ts";
import { startWithAccount } from "../../testing/carriers/stand-in-accounts.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { aParcel } from "./labels.schemas.ts";

const hub = await startTestHub();
const org = await hub.org();

const parcel = {
  from: { ...aParcel.from, name: "Byron Mugs", phone: "2015550123", email: "dock@byron.example" },
  to: { ...aParcel.to, phone: "5185550123", email: "ada@byron.example" },
  weight: aParcel.weight,
  dimensions: { length: 10, width: 8, height: 4, unit: "in" },
};
const typeOf: Record<string, LabelFile["contentType"]> = {
  pdf: "application/pdf",
  png: "image/png",
  zpl: "application/zpl",
  gif: "image/gif",
};
const formats = ["pdf", "png", "zpl"];
/** The formats that a carrier says it sells, its default first. */
const soldBy = (carrier: string): string[] => {
  const types = carriers.find(({ name }) => name === carrier)!.labelTypes!;
  return types.map((type) => Object.keys(typeOf).find((format) => typeOf[format] === type)!);
};

/** Services of direct carriers have fixed codes; those of aggregators depend on the account. */
const services: Record<string, string> = { ups: "03", fedex: "FEDEX_GROUND", demo: "NAT_GROUND" };

async function firstQuoted(accountId: string): Promise<string> {
  const { from: origin, to: destination, ...measures } = parcel;
  const request = { origin, destination, ...measures };
  return (await org.post(`/carrier-accounts/${accountId}/quote`, request)).body.quotes[0].service;
}

async function connect(carrier: keyof typeof startWithAccount | "demo") {
  const { account, standIn } =
    carrier === "demo"
      ? { account: { name: "Demo", carrier, settings: {}, credentials: {} }, standIn: undefined }
      : await startWithAccount[carrier]();
  if (standIn) afterFile(() => standIn.close());
  const created = await org.post("/carrier-accounts", account);
  expect(created.status).toBe(201);
  const { id } = created.body;
  const service = services[carrier] ?? (await firstQuoted(id));
  return {
    standIn,
    buy: async (options: object) =>
      await org.post("/shipments/labels", { ...parcel, carrierAccountId: id, service, options }),
    setDefault: async (labelFormat: string) =>
      await org.patch(`/carrier-accounts/${id}`, { settings: { ...account.settings, labelFormat } }),
  };
}

/** What the hub stored, and what it gives out. */
async function storedType({ body }: { body: { label: { id: string; contentType: string } } }): Promise<string[]> {
  const { id, contentType } = body.label;
  const file = await org.get(`/shipments/labels/${id}/content`);
  return [contentType, file.headers.get("content-type")!];
}

describe.each([...(Object.keys(startWithAccount) as (keyof typeof startWithAccount)[]), "demo" as const])(
  "labels of %s",
  (name) => {
    const sold = soldBy(name);
    const connected = makeOnce(() => connect(name));

    test("come in the format that was asked for, and others are refused before the purchase", async () => {
      const { buy, standIn } = await connected();
      for (const format of formats.filter((one) => sold.includes(one))) {
        const bought = await buy({ label: { format } });
        expect([format, bought.status, ...(await storedType(bought))]).toEqual([
          format,
          201,
          typeOf[format],
          typeOf[format],
        ]);
      }
      const before = standIn?.requests.length;
      for (const format of formats.filter((one) => !sold.includes(one))) {
        const refused = await buy({ label: { format } });
        expect(refused.status).toBe(400);
        expect(refused.body.errors).toMatchObject([{ pointer: "/options/label/format", code: "format_not_offered" }]);
        const offered = formats.filter((one) => sold.includes(one)).join(", ");
        expect(refused.body.errors[0].message).toContain(`Allowed: ${offered}.`);
      }
      expect(standIn?.requests.length).toBe(before);
    });

    test("come in the default format of the account", async () => {
      const { buy, setDefault } = await connected();
      expect(await storedType(await buy({}))).toEqual([typeOf[sold[0]!], typeOf[sold[0]!]]);
      // The demo carrier sells one format and has no setting.
      for (const format of name === "demo" ? [] : sold) {
        expect((await setDefault(format)).status).toBe(200);
        expect(await storedType(await buy({}))).toEqual([typeOf[format], typeOf[format]]);
      }
      for (const format of name === "demo" ? [] : Object.keys(typeOf).filter((one) => !sold.includes(one))) {
        const refused = await setDefault(format);
        expect([refused.status, refused.body.errors?.[0].pointer]).toEqual([400, "/settings/labelFormat"]);
      }
    });
  },
);
