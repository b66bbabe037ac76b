import { linePattern } from "../../../core/schema.ts";
import { Type } from "../../../core/type.ts";

/** Rows of a table that is a param: it is stored with each pipeline and run. */
export const maxTableRows = 1_000;

export const Sku = Type.String({ minLength: 1, maxLength: 100, pattern: linePattern });
