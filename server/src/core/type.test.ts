import { Type as TypeBox } from "typebox";
import { expect, test } from "vitest";
import { Type } from "./type.ts";

/** Written once, built by ours and by the original. */
const schemas: [string, (type: typeof Type) => object][] = [
  ["a string", (type) => type.String({ minLength: 1, pattern: "^a" })],
  ["an integer", (type) => type.Integer({ minimum: 1 })],
  ["a number", (type) => type.Number({ maximum: 2.5 })],
  ["a boolean", (type) => type.Boolean()],
  ["null", (type) => type.Null()],
  ["anything", (type) => type.Unknown({ description: "whatever" })],
  ["a text", (type) => type.Literal("yes")],
  ["true", (type) => type.Literal(true)],
  ["a choice", (type) => type.Union([type.String(), type.Null()], { description: "one of them" })],
  ["a list", (type) => type.Array(type.String(), { maxItems: 3 })],
  ["any schema", (type) => type.Unsafe<number>({ type: "string", format: "uuid" })],
  ["an object without members", (type) => type.Object({})],
  ["an object", (type) => type.Object({ a: type.String() }, { additionalProperties: false })],
  ["an object with members it may lack", (type) => type.Object({ a: type.Optional(type.String()), b: type.Boolean() })],
  ["an object that may be empty", (type) => type.Object({ a: type.Optional(type.Array(type.Null())) })],
  ["one schema as needed and as optional", (type) => twice(type, type.String({ format: "email" }))],
];

function twice(type: typeof Type, schema: ReturnType<typeof Type.String>): object {
  return type.Object({ a: type.Optional(schema), b: schema, c: type.Array(type.Optional(schema)) });
}

test.each(schemas)("%s is the same schema as TypeBox's", (_, build) => {
  expect(JSON.parse(JSON.stringify(build(Type)))).toEqual(JSON.parse(JSON.stringify(build(TypeBox))));
});

test("a record is the same schema as TypeBox's, except for names that do not match its pattern", () => {
  const { patternProperties, ...original } = JSON.parse(
    JSON.stringify(TypeBox.Record(TypeBox.String(), TypeBox.Integer(), { maxProperties: 5 })),
  );
  const [values] = Object.values(patternProperties);
  expect(Type.Record(Type.String(), Type.Integer(), { maxProperties: 5 })).toEqual({
    ...original,
    additionalProperties: values,
  });
});

test("names of a record are validated, which TypeBox omits", () => {
  expect(Type.Record(Type.String({ maxLength: 5 }), Type.Null())).toEqual({
    type: "object",
    additionalProperties: { type: "null" },
    propertyNames: { maxLength: 5 },
  });
});
