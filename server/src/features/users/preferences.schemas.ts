import type { Static } from "typebox";
import { DateTime, Nullable, Strict } from "../../core/schema.ts";
import { Type } from "../../core/type.ts";

/** Of the JSON text. Preferences are not a store for data. */
export const maxPreferencesBytes = 64 * 1024;

/** Larger than `maxPreferencesBytes`, since escaped characters make a body longer than its value. */
export const maxPreferencesBodyBytes = 256 * 1024;

const Anything = Type.Record(Type.String({ maxLength: 100 }), Type.Unknown(), {
  description: "Settings that a client stores for its user, under names of its own; up to 64 KiB",
});

export const PreferencesRequest = Strict(
  { preferences: Anything },
  { examples: [{ preferences: { console: { theme: "dark", density: "compact", timeZone: "organization" } } }] },
);
export type PreferencesRequest = Static<typeof PreferencesRequest>;

export const Preferences = Type.Object({
  preferences: Anything,
  updatedAt: Nullable(DateTime),
  version: Type.Integer({
    minimum: 0,
    description: "0 if none were set yet. Send it as If-Match to avoid lost updates",
  }),
});
export type Preferences = Static<typeof Preferences>;
