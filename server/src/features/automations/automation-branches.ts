import { createHash } from "node:crypto";
import type { FieldError } from "../../core/errors.ts";
import { badField, HubError, validationFailed } from "../../core/errors.ts";
import type { Ctx } from "../../context.ts";
import type { OpenPipeline } from "../operations/operations.ts";
import { openPipeline } from "../operations/operations.ts";
import type { StoredAutomation } from "./automations.store.ts";

/** A condition of the request, and where it is in there. */
type Part = { condition: Record<string, unknown>; at: string; isNegated?: boolean };

/** A pipeline of an automation, and the orders it is for. */
export type Branch = {
  /** Index of the branch, or otherwise; null: the automation has no branches. */
  branch: string | null;
  pipeline_id: string;
  /** Pointer of the pipeline in the request. */
  at: string;
  /** Met by the orders of this branch and no other. */
  when: Record<string, unknown> | null;
  parts: Part[];
};
export type OpenBranch = Branch & { open: OpenPipeline };

type Branched = Pick<StoredAutomation, "when" | "pipeline_id" | "branches" | "otherwise">;

/** The first branch whose condition an order meets is its branch. Without branches, all orders take the pipeline. */
export function branchesOf({ when, pipeline_id, branches, otherwise }: Branched): Branch[] {
  const common: Part[] = when === null ? [] : [{ condition: when, at: "/when" }];
  if (branches === null) {
    return pipeline_id === null ? [] : [branchOf(null, pipeline_id, "/pipeline_id", common)];
  }
  const own = branches.map((branch, index): Part => ({ condition: branch.when, at: `/branches/${index}/when` }));
  const notBefore = (index: number): Part[] => own.slice(0, index).map((part) => ({ ...part, isNegated: true }));
  const listed = branches.map((branch, index) =>
    branchOf(String(index), branch.pipeline_id, `/branches/${index}/pipeline_id`, [
      ...common,
      ...notBefore(index),
      own[index]!,
    ]),
  );
  if (otherwise === null) return listed;
  return [...listed, branchOf("otherwise", otherwise, "/otherwise", [...common, ...notBefore(own.length)])];
}

function branchOf(branch: string | null, pipeline_id: string, at: string, parts: Part[]): Branch {
  const all = parts.map(({ condition, isNegated }) => (isNegated ? { not: condition } : condition));
  return { branch, pipeline_id, at, parts, when: all.length > 1 ? { all } : (all[0] ?? null) };
}

/** Compiles the pipelines of an automation with the conditions of their branches. Errors have pointers into the automation. */
export async function openBranches(ctx: Ctx, branches: Branch[]): Promise<{ branches: OpenBranch[]; digest: string }> {
  const opened: OpenBranch[] = [];
  for (const branch of branches) opened.push({ ...branch, open: await openOrExplain(ctx, branch) });
  return { branches: opened, digest: joinDigests(opened.map(({ open }) => open.digest)) };
}

/** One pipeline keeps its own digest, which automations without branches have stored. */
export function joinDigests(digests: (string | undefined)[]): string {
  if (digests.length === 1) return digests[0] ?? "";
  return createHash("sha256").update(digests.join()).digest("hex");
}

async function openOrExplain(ctx: Ctx, branch: Branch): Promise<OpenPipeline> {
  try {
    return await openPipeline(ctx, branch.pipeline_id, branch.when);
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    if (error.code === "pipeline_not_found") {
      throw badField(branch.at, "pipeline_not_found", `This organization has no pipeline ${branch.pipeline_id}.`);
    }
    const { errors } = error.details;
    if (error.code !== "validation_failed" || !errors) throw error;
    throw validationFailed(errors.map((one) => explain(one, branch)));
  }
}

/** The pipeline is not part of the request: its errors are reported on the field that names it. */
function explain(error: FieldError, { at, parts }: Branch): FieldError {
  if (!error.pointer.startsWith("/when")) {
    return { pointer: at, code: "pipeline_invalid", message: `${error.pointer}: ${error.message}` };
  }
  if (parts.length === 1) return { ...error, pointer: parts[0]!.at + withoutNot(error.pointer.slice(5), parts[0]!) };
  const [, index, rest] = /^\/when\/all\/(\d+)(.*)$/.exec(error.pointer) ?? [];
  const part = parts[Number(index)];
  return part ? { ...error, pointer: part.at + withoutNot(rest!, part) } : { ...error, pointer: parts.at(-1)!.at };
}

function withoutNot(pointer: string, { isNegated }: Part): string {
  return isNegated ? pointer.replace(/^\/not/, "") : pointer;
}
