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
  .map((event) => ({ ...event, key: keyOfEvent(event) }));
/** Under keys that their sender gave them, so that some correct others. */
const aNamedEvent = fc
  .tuple(anEvent, fc.constantFrom("a", "b", "c"))
  .map(([event, key]): TrackingEvent => ({ ...event, key }));

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
        expect(mergeEvents(first, again)).toMatchObject({ events: first, isChanged: false });
        expect(track(first.toReversed())).toEqual(track(first));
      }),
      { numRuns: 500 },
    );
  });

  test("D4: under one key what was told last counts, in whatever portions it came", () => {
    fc.assert(
      fc.property(fc.array(aNamedEvent, { maxLength: 12 }), fc.nat({ max: 12 }), (told, cut) => {
        const portions = mergeEvents(mergeEvents([], told.slice(0, cut)).events, told.slice(cut)).events;
        for (const key of ["a", "b", "c"]) {
          expect(portions.find((event) => event.key === key)).toEqual(told.findLast((event) => event.key === key));
        }
        expect(portions.length).toBe(new Set(told.map(({ key }) => key)).size);
      }),
      { numRuns: 300 },
    );
  });

  test("D4: a delivery that is told anew is later or earlier, or none at all", () => {
    const [scan, arrival] = story("in_transit", "delivered") as [TrackingEvent, TrackingEvent];
    for (const at of [hour(4), hour(1), hour(2)]) {
      const { events } = mergeEvents([scan, arrival], [{ ...arrival, at }]);
      expect(track(events)).toMatchObject({ status: "delivered", deliveredAt: at });
    }
    const { events } = mergeEvents([scan, arrival], [{ ...arrival, status: "attempt_failed" }]);
    expect(track(events)).toMatchObject({ status: "attempt_failed", deliveredAt: null });
    expect(track(mergeEvents(events, [arrival]).events)).toMatchObject({ status: "delivered" });
  });

  test("D4: a withdrawn event does not count until another one arrives under its key", () => {
    const [scan, arrival] = story("in_transit", "delivered") as [TrackingEvent, TrackingEvent];
    const known = [scan, { ...arrival, retractedAt: hour(6) }];
    expect(track(known)).toMatchObject({ status: "in_transit", deliveredAt: null, lastEventAt: hour(0) });
    expect(mergeEvents(known, [scan, arrival])).toMatchObject({ events: known, isChanged: false });
    const { events } = mergeEvents(known, [{ ...arrival, at: hour(8) }]);
    expect(track(events)).toMatchObject({ status: "delivered", deliveredAt: hour(8) });
  });

  test("is reached along the table of moves, one move after the other", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(anEvent, aNamedEvent), { maxLength: 12 }), (given) => {
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
  ["AttemptFail", "attempt_failed"],
  ["attempt_fail", "attempt_failed"],
  ["AvailableForPickup", "ready_for_pickup"],
  ["constructor", undefined],
  ["teleported", undefined],
])("%s is %s", (text, status) => {
  expect(toEventStatus(text)).toBe(status);
});
