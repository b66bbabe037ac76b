import { expect, test } from "vitest";
import { guardTransform } from "./guard-transform.ts";
import { exampleOutcome } from "./transform-example.ts";
import { defineTransform, textTransform } from "./transform.ts";

function outcomeOf(apply: (value: unknown) => unknown, from: unknown = 1): unknown {
  const parts = { name: "acme.try", text: "What a test says", example: { from, to: null } };
  return exampleOutcome(guardTransform(defineTransform({ ...parts, compile: () => apply })));
}

test("JSON passes", () => {
  for (const value of ["a", 1, true, null, undefined, { a: [1, { b: null }] }]) {
    expect(outcomeOf(() => value)).toEqual(value);
  }
});

const deep: unknown[] = [];
deep.push(deep);

test.each([
  ["NaN", Number.NaN],
  ["a date", new Date()],
  ["a function", () => 1],
  ["a bigint", 1n],
  ["a function inside", { a: [() => 1] }],
  ["a list that contains itself", deep],
])("%s is a problem of the value", (_name, value) => {
  expect(() => outcomeOf(() => value)).toThrow("acme.try returned a value that is not JSON");
});

test("a promise is a problem of the value, and its rejection does not end the process", () => {
  expect(() => outcomeOf(() => Promise.reject(new Error("later")))).toThrow("a value that is not JSON");
});

test("what it throws is a problem of the value, also for texts", () => {
  const fail = (): never => {
    throw new Error("unknown code");
  };
  expect(() => outcomeOf(fail)).toThrow("acme.try: unknown code");
  const text = textTransform({ name: "acme.try", text: "x", example: { from: "a", to: "b" }, compile: () => fail });
  expect(() => exampleOutcome(guardTransform(text))).toThrow("acme.try: unknown code");
});
