import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { statesBefore } from "../../../core/states.ts";
import { eventStatuses, shipmentMoves, shipmentStatuses, toEventStatus } from "../shipments.states.ts";
import type { TrackingEvent } from "./tracking.ts";
import { keyOfEvent, mergeEvents, track } from "./tracking.ts";

const anEvent: fc.Arbitrary<TrackingEvent> = fc
  .record({
    // Few moments, so that some events happen at the same one.
    at: fc.integer({ min: 0, max: 8 }).map((hour) => new Date(Date.UTC(2026, 0, 1, hour)).toISOString()),
    status: fc.constantFrom(...eventStatuses),
    description: fc.constantFrom(null, "Scanned"),
    location: fc.constantFrom(null, "Chicago"),
    carrierStatus: fc.constant(null),
  })
  .chain((event) => fc.constantFrom(keyOfEvent(event), "a", "b").map((key) => ({ ...event, key })));

const story = (...statuses: TrackingEvent["status"][]): TrackingEvent[] =>
  statuses.map((status, hour) => {
    const at = new Date(Date.UTC(2026, 0, 1, hour)).toISOString();
    return { key: `${hour}`, at, status, description: null, location: null, carrierStatus: null };
  });
const hour = (of: number): string => new Date(Date.UTC(2026, 0, 1, of)).toISOString();

describe("what a set of events says", () => {
  test("does not depend on the order in which they arrive, nor on how often, nor in which portions", () => {
    const histories = fc.array(anEvent, { maxLength: 12 }).chain((events) =>
      fc.record({
        events: fc.constant(events),
        again: fc.shuffledSubarray([...events, ...events], {
          minLength: 2 * events.length,
          maxLength: 2 * events.length,
        }),
        cut: fc.nat({ max: 2 * events.length }),
      }),
    );
    fc.assert(
      fc.property(histories, ({ events, again, cut }) => {
        const first = mergeEvents([], events).events;
        const portions = mergeEvents(mergeEvents([], again.slice(0, cut)).events, again.slice(cut)).events;
        expect(portions).toEqual(first);
        expect(track(portions)).toEqual(track(first));
        expect(mergeEvents(first, again)).toEqual({ events: first, added: 0, isChanged: false });
        expect(track(first.toReversed())).toEqual(track(first));
      }),
      { numRuns: 500 },
    );
  });

  test("is reached along the table of moves, one move after the other", () => {
    fc.assert(
      fc.property(fc.array(anEvent, { maxLength: 12 }), (given) => {
        const { events } = mergeEvents([], given);
        let status = track([]).status;
        for (let length = 1; length <= events.length; length++) {
          const next = track(events.slice(0, length)).status;
          expect([status, ...shipmentMoves[status]]).toContain(next);
          status = next;
        }
      }),
      { numRuns: 300 },
    );
  });

  test("knows when the carrier got it, when it first tried to deliver and when it arrived", () => {
    const events = story("pre_transit", "picked_up", "in_transit", "attempt_failed", "out_for_delivery", "delivered");
    expect(track(events)).toEqual({
      status: "delivered",
      statusAt: hour(5),
      acceptedAt: hour(1),
      firstAttemptAt: hour(3),
      deliveredAt: hour(5),
      lastEventAt: hour(5),
    });
  });

  test("a scan after the delivery changes nothing, a return does", () => {
    expect(track(story("picked_up", "delivered", "in_transit"))).toMatchObject({
      status: "delivered",
      deliveredAt: hour(1),
    });
    expect(track(story("picked_up", "delivered", "returned"))).toMatchObject({ status: "returned", deliveredAt: null });
  });

  test("a label announced late does not take a parcel back, and a cancelled one that is scanned is on its way", () => {
    expect(track(story("in_transit", "pre_transit")).status).toBe("in_transit");
    expect(track(story("pre_transit", "cancelled")).status).toBe("cancelled");
    expect(track(story("cancelled", "in_transit")).status).toBe("in_transit");
  });
});

test("nothing follows a return, and only a return follows a delivery", () => {
  expect(shipmentMoves.returned).toEqual([]);
  expect(shipmentMoves.delivered).toEqual(["returned"]);
  for (const status of shipmentStatuses) {
    if (status !== "pre_transit") expect(statesBefore(shipmentMoves, status)).not.toEqual([]);
  }
});

test.each([
  ["InTransit", "in_transit"],
  ["OUT_FOR_DELIVERY", "out_for_delivery"],
  ["available for pickup", "ready_for_pickup"],
  ["Return-To-Sender", "returned"],
  ["canceled", "cancelled"],
  ["constructor", undefined],
  ["teleported", undefined],
])("%s is %s", (text, status) => {
  expect(toEventStatus(text)).toBe(status);
});
