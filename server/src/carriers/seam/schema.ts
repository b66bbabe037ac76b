/** Schemas of settings, credentials and extra options. */
export { linePattern, Nullable, OneOf, Strict } from "../../core/schema.ts";
export { Type } from "../../core/type.ts";
