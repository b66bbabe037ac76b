import { createSign, generateKeyPairSync, randomUUID } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { postWebhook } from "../post-webhook.ts";
import { checkWebhook } from "./stand-in-shipengine-bodies.ts";
import { shipengineCarriers } from "./stand-in-shipengine-services.ts";
import type { SeEvent, SeLabel, SeWebhook, ShipengineWorld } from "./stand-in-shipengine-world.ts";
import { fail, missing, refuse, seId } from "./stand-in-shipengine-world.ts";
import type { Operation, StandIn } from "../stand-in-api.ts";

export type ShipengineScan = {
  /** UN, AC, IT, DE, EX, AT, NY or SP. */
  statusCode: string;
  /** Such as OUT_FOR_DELIVERY. */
  statusDetailCode?: string;
  description?: string;
  place?: { city: string; state: string; zip: string };
  /** UTC; the time of the clock if left out. */
  occurredAt?: string;
  /** The same moment as the carrier writes it: local to the place, without a zone. */
  carrierOccurredAt?: string;
};

const descriptions: Record<string, string> = {
  UN: "Unknown",
  AC: "Accepted",
  IT: "In Transit",
  DE: "Delivered",
  EX: "Exception",
  AT: "Delivery Attempt",
  NY: "Not Yet In System",
  SP: "Delivered To Collection Location",
};

export function scanLabel(
  world: ShipengineWorld,
  standIn: StandIn,
  trackingNumber: string,
  scan: ShipengineScan,
): SeLabel {
  const row = world.labels.newest(({ label }) => label.tracking_number === trackingNumber);
  if (!row) throw new Error(`No label was sold with ${trackingNumber}.`);
  const occurredAt =
    scan.occurredAt ??
    world
      .now()
      .toISOString()
      .replace(/\.\d+Z$/, "Z");
  const statusCode = standIn.takeFault("unknown_status", "scan") ? "XX" : scan.statusCode;
  const isBlank = standIn.takeFault("blank_event_status", "scan");
  const event: SeEvent = {
    occurred_at: standIn.takeFault("events_without_zone", "scan") ? occurredAt.replace("Z", "") : occurredAt,
    carrier_occurred_at: scan.carrierOccurredAt ?? occurredAt.replace("Z", ""),
    description: scan.description ?? descriptions[statusCode] ?? statusCode,
    city_locality: scan.place?.city ?? "",
    state_province: scan.place?.state ?? "",
    postal_code: scan.place?.zip ?? "",
    country_code: "",
    company_name: "",
    signer: "",
    event_code: statusCode,
    carrier_detail_code: null,
    // Some events have only the carrier's own code.
    status_code: isBlank ? "" : statusCode,
    status_detail_code: scan.statusDetailCode ?? null,
    status_description: descriptions[statusCode] ?? statusCode,
    status_detail_description: null,
    carrier_status_code: statusCode,
    carrier_status_description: scan.description ?? descriptions[statusCode] ?? statusCode,
    latitude: null,
    longitude: null,
  };
  const updated = { ...row, events: [event, ...row.events] };
  return world.labels.save(standIn, "scan", updated, { trackingNumber, status: statusCode });
}

/** Events are newest first. A label without a scan is "not yet in system", an unknown number "unknown". */
export function trackingOf(
  row: SeLabel | undefined,
  trackingNumber: string,
  carrierCode: string,
): Record<string, unknown> {
  const [newest] = row?.events ?? [];
  const statusCode = newest ? String(newest.event_code) : row ? "NY" : "UN";
  const carrier = shipengineCarriers.find(({ code }) => code === carrierCode);
  return {
    tracking_number: trackingNumber,
    tracking_url: `https://track.example.com/${trackingNumber}`,
    status_code: statusCode,
    status_detail_code: newest?.status_detail_code ?? null,
    carrier_code: carrierCode,
    carrier_id: Number(carrier?.id.slice(3) ?? 0),
    status_description: descriptions[statusCode] ?? statusCode,
    status_detail_description: null,
    carrier_status_code: statusCode,
    carrier_detail_code: null,
    carrier_status_description: newest?.carrier_status_description ?? null,
    ship_date: row?.shipment.ship_date ?? null,
    estimated_delivery_date: null,
    actual_delivery_date: statusCode === "DE" ? newest!.occurred_at : null,
    exception_description: statusCode === "EX" ? newest!.description : null,
    events: row?.events ?? [],
  };
}

/** The key that signs webhooks. The published list keeps earlier keys. */
export type SigningKeys = { privateKey: KeyObject; keyId: string; published: Record<string, unknown>[] };

export function newSigningKey(earlier: Record<string, unknown>[] = []): SigningKeys {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const keyId = randomUUID();
  return {
    privateKey,
    keyId,
    published: [...earlier, { ...publicKey.export({ format: "jwk" }), kid: keyId, use: "sig", alg: "RS256" }],
  };
}

/** RSA with SHA-256 over the timestamp, a dot and the bytes of the body. */
export function signedHeaders(
  { privateKey, keyId }: SigningKeys,
  timestamp: string,
  body: string,
): Record<string, string> {
  const signature = createSign("RSA-SHA256").update(`${timestamp}.${body}`).sign(privateKey, "base64");
  return {
    "x-shipengine-rsa-sha256-signature": signature,
    "x-shipengine-rsa-sha256-key-id": keyId,
    "x-shipengine-timestamp": timestamp,
  };
}

/** Sends to the webhooks of the event and returns the statuses. With the fault duplicate_event each gets it twice. */
export async function deliver(
  world: ShipengineWorld,
  standIn: StandIn,
  keys: SigningKeys,
  event: string,
  payload: object,
): Promise<number[]> {
  const hooks = world.webhooks.list((one) => one.event === event);
  const body = JSON.stringify(payload);
  const rounds = standIn.takeFault("duplicate_event", "webhook") ? 2 : 1;
  const statuses: number[] = [];
  for (const { url, headers } of Array.from({ length: rounds }, () => hooks).flat()) {
    const own = Object.fromEntries(headers.map(({ key, value }) => [key, value]));
    statuses.push(await postWebhook(url, { ...own, ...signedHeaders(keys, world.now().toISOString(), body) }, body));
  }
  return statuses;
}

const shownHook = ({ id, ...hook }: SeWebhook): unknown => ({ webhook_id: id, ...hook });

export function trackingOperations(world: ShipengineWorld, keysNow: () => SigningKeys): Operation[] {
  const byNumber = ({ searchParams }: URL) => {
    const [carrierCode, number] = [searchParams.get("carrier_code"), searchParams.get("tracking_number")];
    if (!number)
      return fail(400, {
        code: "field_value_required",
        field: "tracking_number",
        message: "tracking_number is required.",
      });
    if (!shipengineCarriers.some(({ code }) => code === carrierCode)) {
      return fail(400, {
        code: "invalid_field_value",
        field: "carrier_code",
        message: `Carrier code ${carrierCode} is not valid.`,
      });
    }
    return { carrierCode: carrierCode!, number };
  };
  const toggle = (path: RegExp): Operation => ({
    name: "track",
    method: "POST",
    path,
    answer({ url }) {
      const asked = byNumber(url);
      return "status" in asked ? asked : { status: 204 };
    },
  });
  return [
    {
      name: "track",
      method: "GET",
      path: /^\/v1\/labels\/([^/]+)\/track$/,
      answer(_request, match) {
        const row = world.labels.find(match[1]!);
        if (!row) return missing(`Label ID ${match[1]} was not found.`);
        return { status: 200, body: trackingOf(row, row.label.tracking_number, row.label.carrier_code) };
      },
    },
    {
      name: "track",
      method: "GET",
      path: /^\/v1\/tracking$/,
      answer({ url }) {
        const asked = byNumber(url);
        if ("status" in asked) return asked;
        const isWanted = ({ label }: SeLabel): boolean =>
          label.tracking_number === asked.number && label.carrier_code === asked.carrierCode;
        return { status: 200, body: trackingOf(world.labels.newest(isWanted), asked.number, asked.carrierCode) };
      },
    },
    toggle(/^\/v1\/tracking\/start$/),
    toggle(/^\/v1\/tracking\/stop$/),
    {
      name: "jwks",
      method: "GET",
      path: /^\/jwks$/,
      answer: () => ({ status: 200, body: { keys: keysNow().published } }),
    },
    {
      name: "create_webhook",
      method: "POST",
      path: /^\/v1\/environment\/webhooks$/,
      answer(request, _match, standIn) {
        const { value, problems } = checkWebhook(request.json());
        if (problems) return refuse(problems);
        const { url, event, headers = [] } = value;
        if (world.webhooks.list().some((one) => one.url === url && one.event === event)) {
          return fail(409, {
            type: "business_rules",
            code: "webhook_event_type_conflict",
            message: "There is a webhook for this event and address already.",
          });
        }
        const id = seId();
        return {
          status: 200,
          body: shownHook(world.webhooks.save(standIn, "webhook", { id, url, event, headers }, { id })),
        };
      },
    },
    {
      name: "list_webhooks",
      method: "GET",
      path: /^\/v1\/environment\/webhooks$/,
      answer: () => ({ status: 200, body: world.webhooks.list().map(shownHook) }),
    },
    {
      name: "delete_webhook",
      method: "DELETE",
      path: /^\/v1\/environment\/webhooks\/([^/]+)$/,
      answer(_request, match, standIn) {
        if (!world.webhooks.find(match[1]!)) return missing(`Webhook ID ${match[1]} was not found.`);
        world.webhooks.remove(standIn, "webhook_deleted", match[1]!);
        return { status: 204 };
      },
    },
  ];
}
