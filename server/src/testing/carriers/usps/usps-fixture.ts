import type { Reply } from "../ask-stand-in.ts";
import { ask, textOf } from "../ask-stand-in.ts";
import type { UspsStandIn } from "./stand-in-usps.ts";

/** Requests of one customer of USPS, as its documents show them, with tokens that are fetched when needed. */
export function uspsFixture(usps: UspsStandIn) {
  let access = "";
  let payment = "";
  async function headers(): Promise<Record<string, string>> {
    access ||= textOf((await uspsToken(usps)).body.access_token);
    return { authorization: `Bearer ${access}` };
  }
  async function paymentHeaders(): Promise<Record<string, string>> {
    const own = await headers();
    if (!payment) {
      const reply = await ask(`${usps.url}/payments/v3/payment-authorization`, {
        headers: own,
        json: paymentBody(usps),
      });
      payment = textOf(reply.body.paymentAuthorizationToken);
    }
    return { ...own, "x-payment-authorization-token": payment };
  }
  const send = async (
    method: string,
    where: string,
    json?: unknown,
    more: Record<string, string> = {},
  ): Promise<Reply> =>
    ask(`${usps.url}${where}`, {
      method,
      headers: { ...(await headers()), ...more },
      ...(json !== undefined && { json }),
    });
  const paid = async (
    method: string,
    where: string,
    json?: unknown,
    more: Record<string, string> = {},
  ): Promise<Reply> =>
    ask(`${usps.url}${where}`, {
      method,
      headers: { ...(await paymentHeaders()), ...more },
      ...(json !== undefined && { json }),
    });
  const label = (parcel: object = {}, more: object = {}, key?: string): Promise<Reply> =>
    paid("POST", "/labels/v3/label", labelBody(parcel, more), key === undefined ? {} : { "x-idempotency-key": key });
  return {
    headers,
    paymentHeaders,
    send,
    paid,
    label,
    buy: async (parcel: object = {}, more: object = {}): Promise<string> => trackingNumberOf(await label(parcel, more)),
    forgetTokens: (): void => {
      access = "";
      payment = "";
    },
  };
}

export function uspsToken(usps: UspsStandIn, secret = usps.clientSecret): Promise<Reply> {
  const json = { grant_type: "client_credentials", client_id: usps.clientId, client_secret: secret };
  return ask(`${usps.url}/oauth2/v3/token`, { json });
}

/** The parts of an answer by name. Reads both kinds of line ends. */
export function partsOf({ text, headers }: Reply): Map<string, { type: string; content: string }> {
  const boundary = /boundary=(.+)$/.exec(headers.get("content-type") ?? "")?.[1] ?? "none";
  const parts = text
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => part.replaceAll("\r\n", "\n"));
  return new Map(
    parts.map((part) => {
      const [head = "", ...rest] = part.slice(1).split("\n\n");
      const name = /[; ]name="([^"]+)"/.exec(head)?.[1] ?? "";
      return [name, { type: /Content-Type: (.+)/.exec(head)?.[1] ?? "", content: rest.join("\n\n").trimEnd() }];
    }),
  );
}

export function metadataOf(reply: Reply): Record<string, unknown> {
  return JSON.parse(partsOf(reply).get("labelMetadata")?.content ?? "{}") as Record<string, unknown>;
}

export function trackingNumberOf(reply: Reply): string {
  return textOf(metadataOf(reply).trackingNumber);
}

/** Which field was wrong and why. */
export function uspsProblem({ body }: Reply): string {
  const { source, detail } = body.error!.errors![0]!;
  return `${textOf(source?.parameter ?? "")}: ${textOf(detail)}`;
}

export const uspsAddress = (ZIPCode: string, more: object = {}) => ({
  firstName: "Ann",
  lastName: "Lee",
  streetAddress: "1 Port Street",
  city: "Newark",
  state: "NJ",
  ZIPCode,
  ...more,
});

export const labelBody = (parcel: object = {}, more: object = {}) => ({
  imageInfo: { imageType: "PDF", labelType: "4X6LABEL", receiptOption: "NONE" },
  toAddress: uspsAddress("90001"),
  fromAddress: uspsAddress("07102"),
  packageDescription: {
    mailClass: "USPS_GROUND_ADVANTAGE",
    rateIndicator: "SP",
    weightUOM: "lb",
    weight: 2.5,
    dimensionsUOM: "in",
    length: 10,
    width: 8,
    height: 4,
    processingCategory: "MACHINABLE",
    destinationEntryFacilityType: "NONE",
    mailingDate: "2026-03-16",
    ...parcel,
  },
  ...more,
});

export const paymentBody = (usps: UspsStandIn, payer: object = {}) => ({
  roles: [
    {
      roleName: "PAYER",
      CRID: usps.crid,
      MID: usps.mid,
      manifestMID: usps.mid,
      accountType: "EPS",
      accountNumber: usps.accountNumber,
      ...payer,
    },
    { roleName: "LABEL_OWNER", CRID: usps.crid, MID: usps.mid, manifestMID: usps.mid },
  ],
});
