import { recordFields } from "../../connectors/record-fields.ts";
import { nearestName } from "../../core/nearest.ts";
import type { World } from "../../context.ts";
import { findKnownBridge, findTask } from "../bridges/bridge-tasks.ts";
import { parseTarget } from "./language/mapping-target.ts";
import type { TestResult, Transformation } from "./transformations.schemas.ts";

type Warning = TestResult["warnings"][number];
type Mapped = Pick<Transformation, "bridgeId" | "taskName" | "direction" | "mappings">;

/**
 * Warnings for targets that are no field of the records of the task: records with such a field are rejected, or the field is ignored.
 * Not an error, since a mapping may be saved before it is complete, and stored ones must keep running.
 */
export async function findUnknownTargets(
  world: World,
  orgId: string,
  { bridgeId, taskName, direction, mappings }: Mapped,
): Promise<Warning[]> {
  if (direction !== "inbound") return [];
  const bridge = await findKnownBridge(world, bridgeId);
  const task = bridge?.row.org_id === orgId ? findTask(bridge, taskName) : undefined;
  const fields = task?.mode === "pull" ? recordFields[task.recordType] : undefined;
  if (task?.mode !== "pull" || !fields) return [];
  return mappings.flatMap((mapping, index): Warning[] => {
    const target = String(mapping.target);
    const name = firstName(target);
    if (name === undefined || fields.includes(name)) return [];
    const suggestion = nearestName(name, fields);
    return [
      {
        index,
        target,
        path: `/mappings/${index}`,
        code: "unknown_target",
        message: `Records of type ${task.recordType} have no field ${name}.`,
        ...(suggestion === undefined ? {} : { suggestion: suggestion + target.slice(name.length) }),
      },
    ];
  });
}

/** The top-level field that a target writes to. Undefined: `$`, which merges an object into the output, or an invalid target. */
function firstName(target: string): string | undefined {
  const steps = parseTarget(target);
  const first = Array.isArray(steps) ? steps[0] : undefined;
  return first && "name" in first ? first.name : undefined;
}
