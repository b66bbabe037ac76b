import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

/**
 * Writes console/src/ui/us-states.ts: the outlines of the states, projected once (Albers, with Alaska and Hawaii below),
 * to whole units of a 975 by 610 picture. From the us-atlas package, which is made from the Census Bureau's files.
 */
type Topology = {
  transform: { scale: [number, number]; translate: [number, number] };
  arcs: Array<Array<[number, number]>>;
  objects: {
    states: {
      geometries: Array<{
        type: "Polygon" | "MultiPolygon";
        id: string;
        arcs: number[][] | number[][][];
        properties: { name: string };
      }>;
    };
  };
};

const codes: Record<string, string> = {
  "01": "AL",
  "02": "AK",
  "04": "AZ",
  "05": "AR",
  "06": "CA",
  "08": "CO",
  "09": "CT",
  "10": "DE",
  "11": "DC",
  "12": "FL",
  "13": "GA",
  "15": "HI",
  "16": "ID",
  "17": "IL",
  "18": "IN",
  "19": "IA",
  "20": "KS",
  "21": "KY",
  "22": "LA",
  "23": "ME",
  "24": "MD",
  "25": "MA",
  "26": "MI",
  "27": "MN",
  "28": "MS",
  "29": "MO",
  "30": "MT",
  "31": "NE",
  "32": "NV",
  "33": "NH",
  "34": "NJ",
  "35": "NM",
  "36": "NY",
  "37": "NC",
  "38": "ND",
  "39": "OH",
  "40": "OK",
  "41": "OR",
  "42": "PA",
  "44": "RI",
  "45": "SC",
  "46": "SD",
  "47": "TN",
  "48": "TX",
  "49": "UT",
  "50": "VT",
  "51": "VA",
  "53": "WA",
  "54": "WV",
  "55": "WI",
  "56": "WY",
};

const file = createRequire(import.meta.url).resolve("us-atlas/states-albers-10m.json");
const { transform, arcs, objects } = JSON.parse(readFileSync(file, "utf8")) as Topology;

const lines = arcs.map((arc) => {
  let [x, y] = [0, 0];
  return arc.map(([dx, dy]): [number, number] => {
    x += dx;
    y += dy;
    return [x * transform.scale[0] + transform.translate[0], y * transform.scale[1] + transform.translate[1]];
  });
});

function ringOf(indexes: number[]): string {
  const points = indexes.flatMap((index) => (index < 0 ? lines[~index]!.toReversed() : lines[index]!));
  const whole: Array<[number, number]> = [];
  for (const [x, y] of points) {
    const point: [number, number] = [Math.round(x), Math.round(y)];
    const last = whole.at(-1);
    if (!last || last[0] !== point[0] || last[1] !== point[1]) whole.push(point);
  }
  // Islands smaller than a unit.
  if (whole.length < 4) return "";
  const [first, ...rest] = whole;
  let at = first!;
  const moves = rest.map((point) => {
    const move = `${point[0] - at[0]},${point[1] - at[1]}`;
    at = point;
    return move;
  });
  return `M${first!.join(",")}l${moves.join(" ").replaceAll(" -", "-").replaceAll(",-", "-")}z`;
}

const states = objects.states.geometries
  .filter(({ id }) => codes[id])
  .map((state) => {
    const rings = (state.type === "Polygon" ? [state.arcs as number[][]] : (state.arcs as number[][][])).flat();
    return { code: codes[state.id]!, name: state.properties.name, path: rings.map(ringOf).join("") };
  })
  .toSorted((a, b) => (a.code < b.code ? -1 : 1));

const text = `// Written by scripts/build-us-states.ts from us-atlas (Census Bureau, public domain); do not edit.
export const usStates = {
  viewBox: "0 0 975 610",
  states: [
${states.map((state) => `    ${JSON.stringify(state)},`).join("\n")}
  ],
};
`;
writeFileSync(path.join(import.meta.dirname, "../console/src/ui/us-states.ts"), text);
console.log(`${states.length} states, ${text.length} bytes`);
