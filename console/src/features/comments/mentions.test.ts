import { expect, test } from "vitest";
import { initialsOf } from "../../ui/initials.ts";
import { mentionsIn, typedMention } from "./mentions.ts";

const people = ["Ann", "Ann Lee", "Åsa Öberg", "kim@shop.example"].map((name, at) => ({ id: `id-${at}`, name }));

test.each([
  ["no one", []],
  ["@Ann look", ["id-0"]],
  ["@Ann Lee look", ["id-1"]],
  ["@ann lee and @Ann", ["id-1", "id-0"]],
  ["@åsa öberg", ["id-2"]],
  ["ask @kim@shop.example", ["id-3"]],
  ["mail ann@shop.example", []],
])("%j mentions %j", (text, expected) => {
  expect(mentionsIn(text, people).toSorted()).toEqual(expected.toSorted());
});

test.each([
  ["Hello", []],
  ["Hello @", ["Ann", "Ann Lee", "Åsa Öberg", "kim@shop.example"]],
  ["Hello @an", ["Ann", "Ann Lee"]],
  ["Hello @Ann", ["Ann Lee"]],
  ["Hello @Ann Lee ", []],
  ["Hello @Nobody", []],
])("after %j the suggestions are %j", (text, expected) => {
  expect(typedMention(text, people).map(({ name }) => name)).toEqual(expected);
});

test.each([
  ["Kim Park", "KP"],
  ["kim", "K"],
  ["kim.park@shop.example", "KP"],
  ["Ada King Byron", "AB"],
  ["  ", ""],
])("the initials of %j are %j", (name, expected) => {
  expect(initialsOf(name)).toBe(expected);
});
