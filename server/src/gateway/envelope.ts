import type { TSchema } from "typebox";
import { Type } from "../core/type.ts";

const gatewayVersion = "1.0.0";

type ProblemLike = {
  code: string;
  detail: string;
  status: number;
  requestId: string;
  retryable: boolean;
  errors?: unknown[];
};

/** The response format of the gateway: `{ok, data, meta}` or `{ok: false, error, meta}`. */
export const envelopeFormat = {
  wrap(answer: unknown, { requestId }: { requestId: string }): unknown {
    const { data, meta } = answer as GatewayAnswer;
    return { ok: true, data, meta: { requestId, version: gatewayVersion, ...meta } };
  },
  wrapSchema(schema: TSchema): TSchema {
    return schema;
  },
  error({ code, detail, status, requestId, retryable, errors }: ProblemLike): unknown {
    const error = { code, message: detail, status, retryable, ...(errors ? { errors } : {}) };
    return { ok: false, error, meta: { requestId, version: gatewayVersion } };
  },
  errorType: "application/json; charset=utf-8",
};

/** The return value of a gateway verb, before the envelope is added. */
export type GatewayAnswer = { data: unknown; meta?: Record<string, unknown> };

export function Envelope<Data extends TSchema>(data: Data) {
  return Type.Object({
    ok: Type.Literal(true),
    data,
    meta: Type.Object({ requestId: Type.String(), version: Type.String() }, { additionalProperties: true }),
  });
}
