import data from "./zip3-points.json" with { type: "json" };
import { prefixesOfState } from "../../core/zip-states.ts";

export type Point = { latitude: number; longitude: number; cosine: number };

const earthRadiusMiles = 3958.7613;
const radians = Math.PI / 180;

function pointAt(latitude: number, longitude: number): Point {
  return { latitude: latitude * radians, longitude: longitude * radians, cosine: Math.cos(latitude * radians) };
}

const points: (Point | undefined)[] = Array.from({ length: 1000 });
const entries = Object.entries(data.points) as [string, [number, number]][];
for (const [prefix, [latitude, longitude]] of entries) points[Number(prefix)] = pointAt(latitude, longitude);

export function pointOfZip(zip: string): Point | undefined {
  return points[Number(zip.slice(0, 3))];
}

const byState = new Map<string, Point | undefined>();

/** The mean of the points of its ZIP3 areas, for addresses without a ZIP. */
export function pointOfState(state: string): Point | undefined {
  if (byState.has(state)) return byState.get(state);
  const own = prefixesOfState(state).flatMap((prefix) => pointOfZip(prefix) ?? []);
  const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length / radians;
  const point =
    own.length === 0 ? undefined : pointAt(mean(own.map((p) => p.latitude)), mean(own.map((p) => p.longitude)));
  byState.set(state, point);
  return point;
}

/** Great-circle distance (haversine). */
export function milesBetween(a: Point, b: Point): number {
  const halfLatitude = Math.sin((b.latitude - a.latitude) / 2);
  const halfLongitude = Math.sin((b.longitude - a.longitude) / 2);
  const chord = halfLatitude * halfLatitude + a.cosine * b.cosine * halfLongitude * halfLongitude;
  return 2 * earthRadiusMiles * Math.asin(Math.min(1, Math.sqrt(chord)));
}
