import type { FieldError } from "../../core/errors.ts";
import type { Ctx } from "../../context.ts";
import type { PreparedMappings } from "./prepare-mappings.ts";
import { prepareMappings } from "./prepare-mappings.ts";
import { findTargetProblems, targetWarnings } from "./record-targets.ts";
import { suggestMappings } from "./suggest-mappings.ts";
import { traceMapping } from "./language/trace-mapping.ts";
import { transformCatalog } from "./language/transform-catalog.ts";
import { transformPlugins } from "./language/transform-plugins.ts";
import type { SavedTestRequest, SuggestRequest, TestRequest, TestResult } from "./transformations.schemas.ts";
import { getTransformation } from "./transformations.ts";

/** Mistakes in the mappings are part of the result, not an error of the request. */
export async function testMappings(ctx: Ctx, { mappings, sampleData }: TestRequest): Promise<TestResult> {
  return tested(ctx, await prepareMappings(ctx, ctx.orgId, mappings), sampleData, mappings);
}

export async function testTransformation(ctx: Ctx, id: string, { sampleData }: SavedTestRequest): Promise<TestResult> {
  const transformation = await getTransformation(ctx, id);
  const { mappings, setIds } = transformation;
  const prepared = await prepareMappings(ctx, ctx.orgId, mappings, { bound: setIds });
  const result = tested(ctx, prepared, sampleData, mappings);
  const problems = await findTargetProblems(ctx, ctx.orgId, transformation);
  return { ...result, warnings: [...targetWarnings(problems), ...result.warnings] };
}

function tested(
  ctx: Ctx,
  prepared: PreparedMappings | FieldError[],
  sampleData: unknown,
  mappings: unknown[],
): TestResult {
  if (!Array.isArray(prepared)) return traceMapping(prepared.compiled, sampleData, ctx.clock.now);
  const errors = prepared.map(({ pointer, code, message, suggestion }) => {
    const index = Number(/^\/mappings\/(\d+)/.exec(pointer)?.[1] ?? -1);
    const target = (mappings[index] as { target?: unknown } | undefined)?.target;
    return {
      index,
      target: typeof target === "string" ? target.slice(0, 500) : "",
      path: pointer,
      code,
      message,
      ...(suggestion === undefined ? {} : { suggestion }),
    };
  });
  return { ok: false, output: {}, errors, warnings: [], trace: [], unusedSource: [], durationMs: 0 };
}

export function suggest({ sampleData, targetExample }: SuggestRequest) {
  return suggestMappings(sampleData, targetExample);
}

export function listTransforms() {
  const data = transformCatalog.map(({ name, group, text, params, main, example }) => ({
    name,
    group,
    description: text,
    plugin: transformPlugins.originOf(name),
    paramsSchema: params,
    ...(main === undefined ? {} : { defaultParam: main }),
    example: {
      transform: example.params === undefined ? name : { [name]: example.params },
      from: example.from,
      to: example.to,
      ...(example.data === undefined ? {} : { data: example.data }),
    },
  }));
  return { data };
}
