import { Type } from "typebox";

export const maxTags = 50;

export const Tag = Type.String({ minLength: 1, maxLength: 64, pattern: "^\\S(?:.*\\S)?$" });
export const Tags = Type.Array(Tag, { minItems: 1, maxItems: maxTags, uniqueItems: true });
