import type { TSchema } from "typebox";
import type { Ctx } from "../context.ts";
import type { Route } from "../route.ts";
import type { Problem } from "./problem.ts";

/** A group of routes under one prefix that answer in one format. */
export type Mount = {
  prefix: string;
  routes: Route[];
  format: AnswerFormat;
};

type AnswerFormat = {
  wrap(answer: unknown, ctx: Pick<Ctx, "requestId">): unknown;
  wrapSchema(schema: TSchema): TSchema;
  error(problem: Problem): unknown;
  errorType: string;
};

/** The main service: the record itself, and RFC 9457 problems. */
export const plainFormat: AnswerFormat = {
  wrap: (answer) => answer,
  wrapSchema: (schema) => schema,
  error: (problem) => problem,
  errorType: "application/problem+json; charset=utf-8",
};

export function formatFor(mounts: Mount[], url: string): AnswerFormat {
  return mounts.find(({ prefix }) => url.startsWith(`${prefix}/`))?.format ?? plainFormat;
}
