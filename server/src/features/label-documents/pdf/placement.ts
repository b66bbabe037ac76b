export type Size = { width: number; height: number };
export type Box = Size & { x: number; y: number };

/** Something to draw. `angle`: degrees clockwise by which it has to be turned to be upright, as in a rotated PDF page. */
export type Picture = Size & { angle: number; isImage: boolean };

/** Smaller than this a bar code may not scan any more. */
const smallestScale = 0.75;

/** The size of the picture when it is upright. */
export function uprightSize({ width, height, angle }: Picture): Size {
  return angle % 180 === 0 ? { width, height } : { width: height, height: width };
}

/** Turned so that it fills the box best: labels in landscape on portrait paper lie on their side. */
function isTurned(picture: Picture, box: Size): boolean {
  const { width, height } = uprightSize(picture);
  return width !== height && width > height !== box.width > box.height;
}

/** An image fills the box. A PDF page has a size of its own and is not enlarged. */
function scaleFor(picture: Picture, box: Size): number {
  const upright = uprightSize(picture);
  const [width, height] = isTurned(picture, box) ? [upright.height, upright.width] : [upright.width, upright.height];
  const scale = Math.min(box.width / width, box.height / height);
  return picture.isImage ? scale : Math.min(scale, 1);
}

/** A page that would have to be made much smaller does not fit: a label for letter paper does not go on 4 x 6 inches. */
export function fits(picture: Picture, box: Size): boolean {
  return picture.isImage || scaleFor(picture, box) >= smallestScale;
}

export type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number];

/** Transformation that draws the picture in the middle of the box. A PDF image is a square of size 1, a page has its own size. */
export function placeIn(picture: Picture, box: Box): Matrix {
  const scale = scaleFor(picture, box);
  const angle = ((picture.angle + (isTurned(picture, box) ? 90 : 0)) * Math.PI) / 180;
  const [cos, sin] = [Math.round(Math.cos(angle)), Math.round(Math.sin(angle))];
  const [width, height] = [picture.width * scale, picture.height * scale];
  const x = box.x + box.width / 2 - (width * cos + height * sin) / 2;
  const y = box.y + box.height / 2 - (height * cos - width * sin) / 2;
  const [unitX, unitY] = picture.isImage ? [width, height] : [scale, scale];
  return [unitX * cos, -unitX * sin, unitY * sin, unitY * cos, x, y];
}
