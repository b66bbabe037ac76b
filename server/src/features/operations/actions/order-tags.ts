import { linePattern } from "../../../core/schema.ts";
import { Type } from "../../../core/type.ts";

export const maxTags = 50;

export const Tag = Type.String({ minLength: 1, maxLength: 64, pattern: linePattern });
export const Tags = Type.Array(Tag, { minItems: 1, maxItems: maxTags, uniqueItems: true });
