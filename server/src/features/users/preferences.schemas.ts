import type { Static } from "typebox";
import { DateTime, Nullable, Strict } from "../../core/schema.ts";
import { Type } from "../../core/type.ts";

/** Of its text. Whoever wants to keep more has data, not preferences. */
export const maxPreferencesBytes = 64 * 1024;

/** The same with every character escaped would be longer; what is within it is weighed. */
export const maxPreferencesBodyBytes = 256 * 1024;

const Anything = Type.Record(Type.String({ maxLength: 100 }), Type.Unknown(), {
  description: "Whatever a program wants to remember about its user, by names of its own; 64 KiB at most",
});

export const PreferencesRequest = Strict(
  { preferences: Anything },
  { examples: [{ preferences: { console: { theme: "dark", density: "compact", timeZone: "organization" } } }] },
);
export type PreferencesRequest = Static<typeof PreferencesRequest>;

export const Preferences = Type.Object({
  preferences: Anything,
  updatedAt: Nullable(DateTime),
  version: Type.Integer({ minimum: 0, description: "0: none were set yet. Send it as If-Match to avoid lost updates" }),
});
export type Preferences = Static<typeof Preferences>;
