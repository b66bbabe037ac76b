import { createHash } from "node:crypto";
import { Type } from "../../../../core/type.ts";
import { isUuid } from "../../../../core/ids.ts";
import { OneOf, Strict } from "../../../../core/schema.ts";
import { cleanText, textProblem } from "../../../../core/strict-json.ts";
import { checkTextLength, MappingFault, measure, chargeBudget } from "../mapping-run.ts";
import { fault, quote } from "../mapping-values.ts";
import { defineTransform, textTransform } from "../transform.ts";

const namespaces: Record<string, string> = {
  dns: "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
  url: "6ba7b811-9dad-11d1-80b4-00c04fd430c8",
  oid: "6ba7b812-9dad-11d1-80b4-00c04fd430c8",
  x500: "6ba7b814-9dad-11d1-80b4-00c04fd430c8",
};

/** Escapes in JSON can spell what no JSON that we answer may hold. Its depth was checked before. */
function isStorable(value: unknown): boolean {
  if (typeof value === "string") return textProblem(value) === undefined;
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([key, member]) => textProblem(key) === undefined && isStorable(member));
}

export const encodingTransforms = [
  textTransform({
    name: "hash",
    text: "The digest of a text in hexadecimal digits",
    params: Strict({ algorithm: Type.Optional(OneOf(["sha256", "sha512", "sha1", "md5"])) }),
    main: "algorithm",
    example: { params: { algorithm: "md5" }, from: "abc", to: "900150983cd24fb0d6963f7d28e17f72" },
    compile:
      ({ algorithm = "sha256" }) =>
      (text, run) => {
        chargeBudget(run, 30 + (text.length >> 4));
        return createHash(algorithm).update(text).digest("hex");
      },
  }),
  textTransform({
    name: "uuid_v5",
    text: "The same UUID for the same text, within a namespace: dns, url, oid, x500 or a UUID of your own",
    params: Strict({ namespace: Type.String({ maxLength: 36 }) }),
    main: "namespace",
    example: { params: { namespace: "dns" }, from: "www.example.com", to: "2ed6657d-e927-568b-95e1-2665a8aea6a2" },
    compile({ namespace }, env) {
      const space = Object.hasOwn(namespaces, namespace) ? namespaces[namespace]! : namespace;
      if (!isUuid(space)) env.refuse("namespace", "namespace", "A namespace is dns, url, oid, x500 or a UUID.");
      const prefix = Buffer.from(space.replaceAll("-", ""), "hex");
      return (text, run) => {
        chargeBudget(run, 30 + (text.length >> 4));
        const bytes = createHash("sha1").update(prefix).update(text).digest().subarray(0, 16);
        bytes[6] = (bytes[6]! & 0x0f) | 0x50;
        bytes[8] = (bytes[8]! & 0x3f) | 0x80;
        return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
      };
    },
  }),
  textTransform({
    name: "json_parse",
    text: "Reads a text that is JSON",
    example: { from: '{"gift":true}', to: { gift: true } },
    compile: () => (text, run) => {
      chargeBudget(run, text.length >> 3);
      let value: unknown;
      try {
        value = JSON.parse(text);
      } catch {
        throw new MappingFault("not_json", `${quote(text)} is not JSON.`);
      }
      measure(run, value);
      if (!isStorable(value)) throw new MappingFault("not_json", "The JSON has text or numbers that cannot be kept.");
      return value;
    },
  }),
  defineTransform({
    name: "json_stringify",
    text: "Writes any value as JSON",
    example: { from: { gift: true }, to: '{"gift":true}' },
    compile: () => (value, run) => {
      chargeBudget(run, measure(run, value) >> 4);
      return JSON.stringify(value);
    },
  }),
  textTransform({
    name: "url_encode",
    weight: 3,
    text: "Makes a text fit for a part of an address",
    example: { from: "a b&c", to: "a%20b%26c" },
    compile: () => (text) => {
      checkTextLength(text.length * 3);
      return encodeURIComponent(text.toWellFormed());
    },
  }),
  textTransform({
    name: "url_decode",
    weight: 3,
    text: "Undoes url_encode",
    example: { from: "a%20b%26c", to: "a b&c" },
    compile: () => (text) => {
      try {
        return cleanText(decodeURIComponent(text));
      } catch {
        throw fault(text, "URL-encoded");
      }
    },
  }),
  textTransform({
    name: "base64_encode",
    weight: 3,
    text: "The bytes of a text (UTF-8) in base64",
    example: { from: "Ann", to: "QW5u" },
    compile: () => (text) => {
      checkTextLength(text.length * 2);
      return Buffer.from(text).toString("base64");
    },
  }),
  textTransform({
    name: "base64_decode",
    weight: 3,
    text: "Undoes base64_encode; also reads the URL-safe form",
    example: { from: "QW5u", to: "Ann" },
    compile: () => (text) => {
      if (!/^[\w+/-]*={0,2}$/.test(text)) throw fault(text, "base64");
      return cleanText(Buffer.from(text, "base64").toString());
    },
  }),
];
