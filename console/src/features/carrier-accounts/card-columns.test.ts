import { expect, test } from "vitest";
import { columnNames } from "./card-columns.tsx";

test.each([
  ["Weight (lb),Zone 2,Zone 3\n1,2,3", ["Weight (lb)", "Zone 2", "Zone 3"]],
  ['\uFEFF"Weight, lb";Zone 2;"Zone ""3"""\r\n1;2;3', ["Weight, lb", "Zone 2", 'Zone "3"']],
  ["weight\t2\t\t2", ["weight", "2"]],
  ["", []],
])("the columns of %j are read", (csv, names) => {
  expect(columnNames(csv)).toEqual(names);
});
