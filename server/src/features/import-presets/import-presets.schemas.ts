import type { Static } from "typebox";
import { orderPresets } from "../../connectors/csv/order-presets.ts";
import { Origin } from "../../core/extension-point.ts";
import { presetSettings } from "../../core/csv/import-shapes.ts";
import { DateTime, Id, Name, Nullable, OneOf, optional, pageQuery, Strict, Version } from "../../core/schema.ts";
import { Type } from "../../core/type.ts";

export const baseNames = ["auto", "none", ...orderPresets.map(({ name }) => name)];

const Settings = Strict({
  ...presetSettings,
  ...optional({
    carrier: Type.String({
      minLength: 1,
      maxLength: 100,
      description: "Who sent the invoices; for presets of the kind invoices",
    }),
  }),
  base: Type.Optional(OneOf(baseNames, { description: "The preset it extends; default: auto" })),
});

const presetKinds = ["orders", "invoices", "comparisons"] as const;
const Kind = OneOf(presetKinds, { description: "What the files have; default: orders" });

export const PresetRequest = Strict(
  { name: Name, kind: Type.Optional(Kind), settings: Settings },
  { examples: [{ name: "Lager Nord", settings: { dateOrder: "dmy", mapping: { Bestellnummer: "number" } } }] },
);
export type PresetRequest = Static<typeof PresetRequest>;

export const PresetPatch = Strict(optional({ name: Name, settings: Settings }), { examples: [{ name: "Lager Süd" }] });
export type PresetPatch = Static<typeof PresetPatch>;

export const ImportPreset = Type.Object({
  id: Id,
  name: Type.String(),
  kind: Kind,
  settings: Settings,
  createdAt: DateTime,
  updatedAt: DateTime,
  version: Version,
});
export type ImportPreset = Static<typeof ImportPreset>;

export const PresetQuery = pageQuery({ kind: Type.Optional(Kind) });
export type PresetQuery = Static<typeof PresetQuery>;

export const BuiltInPresets = Type.Object({
  data: Type.Array(
    Type.Object({
      name: Type.String(),
      title: Type.String(),
      plugin: Origin,
      detectedBy: Type.Array(Type.Array(Type.String()), {
        description: "A file matches if it has all columns of one of these lists",
      }),
      columns: Type.Array(Type.Object({ column: Type.String(), field: Nullable(Type.String()) })),
    }),
  ),
});
