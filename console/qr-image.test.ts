import jsQR from "jsqr";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { QrImage } from "./src/ui/qr-image.tsx";

const pixelsPerModule = 4;

/** Draws the modules of the SVG as RGBA pixels, black on white. */
function rasterize(svg: string): { pixels: Uint8ClampedArray; side: number } {
  const side = Number(/viewBox="0 0 (\d+)/.exec(svg)![1]) * pixelsPerModule;
  const pixels = new Uint8ClampedArray(side * side * 4).fill(255);
  for (const [, x, y] of svg.matchAll(/M(\d+) (\d+)h1v1h-1z/g))
    for (let row = 0; row < pixelsPerModule; row++)
      for (let column = 0; column < pixelsPerModule; column++) {
        const at = (Number(y) * pixelsPerModule + row) * side + Number(x) * pixelsPerModule + column;
        pixels.fill(0, at * 4, at * 4 + 3);
      }
  return { pixels, side };
}

test("the QR code of a two-factor secret decodes to its otpauth address", () => {
  const address =
    "otpauth://totp/Order%20Operations%20Hub:zoë@shop.example?secret=JBSWY3DPEHPK3PXP&issuer=Order%20Operations%20Hub";
  const { pixels, side } = rasterize(renderToStaticMarkup(createElement(QrImage, { text: address, label: "Secret" })));
  expect(jsQR(pixels, side, side)?.data).toBe(address);
});
