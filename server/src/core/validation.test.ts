import type { TSchema } from "typebox";
import { expect, test } from "vitest";
import { DateOrDateTime, DateTime, Email, Id, Name, NameList, OneOf, splitNames, Strict } from "./schema.ts";
import { Address } from "./address.ts";
import { Type } from "./type.ts";
import { createFinder } from "./validation.ts";

const day = Type.String({ format: "date" });
const colours = ["red", "green", "blue"];

test.each<[TSchema, unknown, string]>([
  [Id, "7", "This is not an id, which is a UUID."],
  [Email, "nobody", "This is not an e-mail address."],
  [day, "14.3.2026", "This is not a day such as 2026-03-14."],
  [day, "0000-01-01", "This is not a day such as 2026-03-14."],
  [DateTime, "2026-03-14", "This is not a moment such as 2026-03-14T09:00:00Z."],
  [DateTime, "0000-01-01T00:00:00Z", "This is not a moment such as 2026-03-14T09:00:00Z."],
  [DateOrDateTime, "soon", "This is not a day such as 2026-03-14 or a moment such as 2026-03-14T09:00:00Z."],
  [Name, "", "This must not be empty."],
  [Name, " x", "This must be one line, without blanks around it."],
  [Name, "x".repeat(101), "At most 100 characters are allowed."],
  [Type.String({ pattern: "^[A-Z]{3}$" }), "Euro", "This must be a code of three capital letters, such as USD."],
  [Address, { countryCode: "USA" }, "This must be a code of two letters, such as US."],
  [Type.String({ minLength: 10 }), "short", "At least 10 characters are needed."],
  [Type.Array(Id, { maxItems: 0 }), [crypto.randomUUID()], "At most 0 entries are allowed."],
  [Type.Array(day, { minItems: 2 }), ["2026-03-14"], "At least 2 entries are needed."],
  [
    Type.Array(day, { uniqueItems: true }),
    ["2026-03-14", "2026-03-14"],
    "Entries 0 and 1 are the same, counted from 0.",
  ],
  [Type.Integer({ minimum: 1 }), 0, "This must be 1 or more."],
  [Type.Integer({ maximum: 9 }), 10, "This must be 9 or less."],
  [Type.Number({ exclusiveMinimum: 0 }), 0, "This must be more than 0."],
  [Type.Integer(), "1", "This must be an integer."],
  [OneOf(colours), "blu", "This value is not one of the allowed ones."],
  [NameList(colours), "red, gren", "gren is not one of the allowed names."],
  [NameList(colours), "red,,blue", "An empty name is not one of the allowed names."],
])("%j refuses %j in words that can be understood", (schema, value, message) => {
  expect(createFinder(schema, "body")(value).map((error) => error.message)).toEqual([message]);
});

test("a wrong name in a list is reported with allowed values and a suggestion", () => {
  const find = createFinder(Strict({ colour: Type.Optional(NameList(colours)) }), "query");
  expect(find({ colour: "red, green" })).toEqual([]);
  expect(find({ colour: "red,gren" })).toEqual([
    {
      pointer: "query/colour",
      code: "enum",
      message: "gren is not one of the allowed names.",
      allowed: colours,
      suggestion: "green",
    },
  ]);
});

test("a list of names is split without blanks and duplicates", () => {
  expect(splitNames("red, blue,red")).toEqual(["red", "blue"]);
});
