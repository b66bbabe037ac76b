import jsQR from "jsqr";
import { expect, test } from "vitest";
import { qrPath } from "./src/ui/qr-path.ts";

const pixelsPerModule = 4;

test("the QR code of a two-factor secret decodes to its otpauth address", () => {
  const address =
    "otpauth://totp/Order%20Operations%20Hub:zoë@shop.example?secret=JBSWY3DPEHPK3PXP&issuer=Order%20Operations%20Hub";
  const { side, path } = qrPath(address);
  const width = side * pixelsPerModule;
  const rgba = new Uint8ClampedArray(width * width * 4).fill(255);
  for (const [, x, y] of path.matchAll(/M(\d+) (\d+)h1v1h-1z/g))
    for (let row = 0; row < pixelsPerModule; row++)
      for (let column = 0; column < pixelsPerModule; column++) {
        const pixel = (Number(y) * pixelsPerModule + row) * width + Number(x) * pixelsPerModule + column;
        rgba.fill(0, pixel * 4, pixel * 4 + 3);
      }
  expect(jsQR.default(rgba, width, width)?.data).toBe(address);
});
