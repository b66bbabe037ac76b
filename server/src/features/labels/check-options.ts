import { findCarrier } from "../../carriers/installed-carriers.ts";
import type { LabelFile } from "../../carriers/seam/labels.ts";
import type { labelFormats, ShipOptions } from "../../carriers/seam/ship-options.ts";
import type { FieldError } from "../../core/errors.ts";
import { errorsAt } from "../../core/errors.ts";
import { findErrorsIn } from "../../core/validation.ts";

const typeOf: Record<(typeof labelFormats)[number], LabelFile["contentType"]> = {
  pdf: "application/pdf",
  png: "image/png",
  zpl: "application/zpl",
};

/** What the carrier does not offer, as far as its description says; the rest it rejects itself. Pointers are below `/options`. */
export function optionErrors(carrierName: string, { label, extra, customs }: ShipOptions): FieldError[] {
  const carrier = findCarrier(carrierName);
  const errors: FieldError[] = [];
  const format = label?.format;
  if (format !== undefined && !carrier?.labelTypes?.includes(typeOf[format])) {
    const formats = Object.entries(typeOf).flatMap(([name, type]) =>
      carrier?.labelTypes?.includes(type) ? [name] : [],
    );
    const message = `${carrier?.title ?? carrierName} has no ${format} labels. Allowed: ${formats.join(", ")}.`;
    errors.push({ pointer: "/options/label/format", code: "format_not_offered", message });
  }
  if (extra !== undefined && !carrier?.extraOptions) {
    const message = `${carrier?.title ?? carrierName} has no extra options.`;
    errors.push({ pointer: "/options/extra", code: "extra_not_offered", message });
  } else if (extra !== undefined && carrier?.extraOptions) {
    errors.push(...errorsAt("/options/extra", findErrorsIn(carrier.extraOptions, extra)));
  }
  if (customs?.contents === "other" && customs.explanation === undefined) {
    const message = "`explanation` is required where `contents` is other.";
    errors.push({ pointer: "/options/customs/explanation", code: "required", message });
  }
  return errors;
}
