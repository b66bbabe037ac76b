import { randomUUID } from "node:crypto";
import type { Carrier } from "../../carriers/seam/carrier.ts";
import { labelWork } from "../../features/labels/labels.ts";
import { applyLabelResults } from "../../features/operations/operations.ts";
import { pickupWork } from "../../features/pickups/pickups.ts";
import { trackingWork } from "../../features/shipments/shipments.ts";
import { workOff } from "../../queue/work.ts";
import { afterFile } from "../after-file.ts";
import type { TestOrg } from "../test-hub.ts";
import { startTestHub } from "../test-hub.ts";
import type { AccountRequest, StandInOptions, StandInWithAccount } from "./stand-in-accounts.ts";
import type { JournalEntry, StandIn } from "./stand-in-api.ts";

/** A shop whose addresses have all that UPS, FedEx and USPS ask for. */
export const dock = {
  name: "Sam Shipper",
  company: "Byron Mugs",
  address1: "1 Port Street",
  city: "Newark",
  provinceCode: "NJ",
  zip: "07114",
  countryCode: "US",
  phone: "+1 973 555 0100",
  email: "dock@byron.example",
};
export const customer = {
  name: "Ada Byron",
  address1: "12 Analytical Way",
  city: "Albany",
  provinceCode: "NY",
  zip: "12207",
  countryCode: "US",
  phone: "+1 518 555 0199",
};
export const box = {
  weight: { value: 2.5, unit: "lb" },
  dimensions: { length: 10, width: 8, height: 4, unit: "in" },
};

const monday = Date.parse("2026-03-02T15:00:00Z");

/** A hub beside a carrier's stand-in, both on one clock that tests set. */
export async function hubBeside<S extends StandIn>(
  start: (options: StandInOptions) => Promise<StandInWithAccount<S>>,
  carrier: Carrier,
  service: string,
) {
  const hub = await startTestHub({ taskSlots: 0 });
  const { standIn, account } = await start({ now: () => hub.world.clock.now() });
  afterFile(async () => {
    hub.world.clock.set({ mode: "real" });
    await standIn.close();
  });
  const { timeouts = {} } = carrier;
  afterFile(() => {
    carrier.timeouts = timeouts;
  });

  /** Minutes after Monday, 2 March 2026, 10:00 in Newark. */
  const setClock = (minutes: number): void =>
    hub.world.clock.set({ mode: "frozen", at: new Date(monday + minutes * 60_000).toISOString() });

  /** An organization of its own for each test: polls and circuit breakers belong to an account. */
  async function open(change: (account: AccountRequest) => AccountRequest = (same) => same) {
    standIn.calm();
    setClock(0);
    carrier.timeouts = timeouts;
    const org = await hub.org();
    const created = await org.post("/carrier-accounts", change(structuredClone(account)));
    if (created.status !== 201) throw new Error(`the account was refused: ${created.text}`);
    const accountId = created.body.id as string;
    const { settings } = created.body as { settings: object };
    return { ...shopWith(org, accountId), ...journalFromNow(), org, accountId, settings, setClock };
  }

  /** What this test did at the carrier. */
  function journalFromNow() {
    const [entries, requests] = [standIn.journal().length, standIn.requests.length];
    return {
      journal: (kind: string): JournalEntry[] =>
        standIn
          .journal()
          .slice(entries)
          .filter((entry) => entry.kind === kind),
      requests: (operation: string) => standIn.requests.slice(requests).filter((one) => one.operation === operation),
    };
  }

  function shopWith(org: TestOrg, accountId: string) {
    const read = async (id: string) => (await org.get(`/shipments/labels/${id}`)).body;
    const parcel = (more: object = {}) => ({
      carrierAccountId: accountId,
      service,
      from: dock,
      to: customer,
      parcels: [box],
      reference: `R-${randomUUID().slice(0, 8)}`,
      ...more,
    });
    /** Works off what is due at these minutes, until the label is no longer requested. */
    async function settle(id: string, minutes: readonly number[] = [2, 6, 14, 30]) {
      for (const at of minutes) {
        setClock(at);
        await workOff(hub.world, labelWork);
        const label = await read(id);
        if (label.status !== "requested") return label;
      }
      return await read(id);
    }
    async function order(more: object = {}) {
      const location = await org.post("/locations", { name: `Dock ${randomUUID()}`, address: dock });
      const { body } = await org.post("/orders", {
        status: "ready",
        shippingAddress: customer,
        lines: [{ sku: "MUG-01", quantity: 2 }],
        packages: [box],
        locationId: location.body.id,
        ...more,
      });
      return body;
    }
    async function tendLabels(): Promise<void> {
      await workOff(hub.world, labelWork);
      await applyLabelResults(hub.world, new AbortController().signal);
    }
    return {
      read,
      parcel,
      settle,
      buy: (more: object = {}) => org.post("/shipments/labels", parcel(more)),
      test: async () => (await org.post(`/carrier-accounts/${accountId}/test`)).body,
      quote: (more: object = {}) => {
        const [origin, destination] = [dock, customer].map(({ provinceCode, ...rest }) => placeOf(rest, provinceCode));
        const body = { origin, destination, ...box, ...more };
        return org.post(`/carrier-accounts/${accountId}/quote`, body);
      },
      /** Three hours of retries. */
      giveUp: (id: string) =>
        settle(
          id,
          Array.from({ length: 30 }, (_, index) => 11 * (index + 1)),
        ),
      /** Chooses the service, buys its label in a run, and returns the price in the preflight, in the run and of the label. */
      runAtPrice: async (chosen: object, bought: object = {}, more: object = {}) => {
        const orderId = (await order(more)).id as string;
        const actions = [
          { type: "choose_rate", params: chosen },
          { type: "buy_label", params: bought },
        ];
        const body = { order_ids: [orderId], actions };
        const report = (await org.post("/operations/preflight", body)).body;
        const run = (await org.post("/operations/run", body)).body;
        const [step] = run.results[0].steps.slice(-1);
        await tendLabels();
        return {
          orderId,
          preflight: report.orders[0].steps.at(-1).price,
          run: step.price,
          label: await read(step.label_ids[0]),
        };
      },
      /** Content type and first bytes of a label file. */
      print: async (labelId: string, query = "") => {
        const { status, headers, text } = await org.get(`/shipments/labels/${labelId}/content${query}`);
        return { status, type: headers.get("content-type"), begin: text.slice(0, 5) };
      },
      eventsOf: async (trackingNumber: string) => {
        const [{ id }] = (await org.get(`/shipments?trackingNumber=${trackingNumber}`)).body.data;
        return (await org.get(`/shipments/${id}`)).body.events;
      },
      exceptions: async () => (await org.get("/exceptions")).body.data,
      poll: async (minutes: number) => {
        setClock(minutes);
        await workOff(hub.world, trackingWork);
      },
      tendPickups: async (minutes: number) => {
        setClock(minutes);
        await workOff(hub.world, pickupWork);
      },
      tendLabels,
      shipment: async (trackingNumber: string) =>
        (await org.get(`/shipments?trackingNumber=${trackingNumber}`)).body.data[0],
      book: (more: object = {}) =>
        org.post("/pickups", {
          carrierAccountId: accountId,
          pickupDate: "2026-03-03",
          pickupAddress: dock,
          readyTime: "13:00",
          closeTime: "17:00",
          packageCount: 2,
          totalWeight: { value: 5, unit: "lb" },
          ...more,
        }),
    };
  }

  return { hub, standIn, open, setClock };
}

function placeOf(address: object, state: string) {
  const { address1, city, zip, countryCode } = address as Record<string, string>;
  return { address1, city, state, zip, countryCode };
}

/** The same answer from all requests of one operation: how a merchant sees a fault. */
export const connectionFaults = {
  /** Nothing was bought; the carrier said so, or was not reached. */
  refused: ["rate_limit", "rate_limit_without_header"],
  /** Nothing was bought, and no response says so. */
  lostBefore: ["html", "error_before", "cut_before", "hang_before"],
  /** The label was bought, and its response was lost. */
  lostAfter: ["error_after", "cut_after", "hang_after", "garbled"],
} as const;
