/**
 * The ID of a line that the hub added as a part of a kit. Unlike the lines of a bundle that the shop expanded, the shop does
 * not have it. IDs of lines have at most 64 characters, so that of the kit is shortened where it must be.
 */
export function kitPartId(kitLineId: string, index: number): string {
  const end = `${separator}${index + 1}`;
  return kitLineId.slice(-(64 - end.length)) + end;
}

const separator = "/kit/";

/** Its place among the parts of the kit, from 0; undefined for other lines. */
export function kitPartIndex(lineId: string): number | undefined {
  const at = lineId.lastIndexOf(separator);
  const place = at === -1 ? "" : lineId.slice(at + separator.length);
  return /^[1-9]\d*$/.test(place) ? Number(place) - 1 : undefined;
}
