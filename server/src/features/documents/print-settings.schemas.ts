import type { Static } from "typebox";
import { Type } from "../../core/type.ts";
import { DateTime, Nullable, OneOf, optional, Strict } from "../../core/schema.ts";
import { PaperShape } from "./documents.schemas.ts";

export const maxLogoBytes = 256 * 1024;
export const maxLogoSide = 2_000;
/** Base64 is a third longer than what it encodes. */
export const maxSettingsBodyBytes = 512 * 1024;

const Lines = (maxLength: number, description: string) => Type.String({ maxLength, description });

const texts = {
  address: Lines(500, "Address of the sender on packing slips, up to six lines"),
  footer: Lines(300, "Line at the bottom of packing slips, such as how to return something"),
};
const Papers = Strict(
  optional({ labels: PaperShape, packing_slips: PaperShape, pick_list: PaperShape, manifest: PaperShape }),
  { description: "Default paper by kind of document. Without one: 4x6 for labels, a4 for the others" },
);
export type Papers = Static<typeof Papers>;

const content = Type.String({
  maxLength: 360_000,
  pattern: "^[A-Za-z0-9+/]+={0,2}$",
  description: "PNG or JPEG image in base64, at most 256 KiB and 2,000 by 2,000 pixels",
});

export const PrintSettingsPatch = Strict(
  optional({
    ...texts,
    papers: Papers,
    logo: Nullable(Strict({ content })),
  }),
  {
    examples: [{ address: "Fernhollow Supply\n1 Port Street\nNewark, NJ 07114", papers: { packing_slips: "letter" } }],
  },
);
export type PrintSettingsPatch = Static<typeof PrintSettingsPatch>;

const Logo = Type.Object({
  contentType: OneOf(["image/png", "image/jpeg"]),
  width: Type.Integer(),
  height: Type.Integer(),
  content,
});

export const PrintSettings = Type.Object({
  ...texts,
  papers: Papers,
  logo: Nullable(Logo),
  updatedAt: Nullable(DateTime),
  version: Type.Integer({
    minimum: 0,
    description: "0 if nothing was set yet. Send it as If-Match to avoid lost updates",
  }),
});
export type PrintSettings = Static<typeof PrintSettings>;
