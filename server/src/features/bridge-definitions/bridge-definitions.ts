import { findDefinition, installedDefinitions } from "../../connectors/rest/definitions/installed-definitions.ts";
import type { RestDefinition } from "../../connectors/rest/definitions/rest-definition.ts";
import { cutText } from "../../core/cut-text.ts";
import { HubError, validationFailed } from "../../core/errors.ts";
import { hasScope } from "../../core/scopes.ts";
import type { Scope } from "../../core/scopes.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { addBridge, presentBridge } from "../bridges/bridges.ts";
import { findTimeZone } from "../organizations/organizations.ts";
import { addSchedule, checkTiming, requireExecute } from "../schedules/schedules.ts";
import { addTransformation } from "../transformations/transformations.ts";
import type { Definition, Installation, InstallRequest } from "./bridge-definitions.schemas.ts";
import { fillDefinition, pointToVariable } from "./fill-definition.ts";

export function listDefinitions() {
  return { data: installedDefinitions.map(presentDefinition) };
}

/** All or nothing: a bridge without its transformations would import orders in the format of the other system. */
export async function installDefinition(ctx: Ctx, name: string, request: InstallRequest): Promise<Installation> {
  const definition = findDefinition(name);
  if (!definition) throw new HubError("definition_not_found");
  requireScope(ctx, "transformations:write");
  if (request.schedules) {
    requireScope(ctx, "schedules:write");
    requireExecute(ctx);
  }
  const filled = fillDefinition(definition, request);
  if (Array.isArray(filled)) throw validationFailed(filled);
  const timezone = await findTimeZone(ctx, ctx.orgId);
  return await change(ctx, async (tx) => {
    const row = await addBridge(tx, ctx, { name: request.name, connector: "rest", ...filled }).catch(
      (error: unknown) => {
        throw pointedErrors(definition, error);
      },
    );
    const bridge = { id: row.id, name: row.name };
    return {
      bridge: presentBridge(ctx, row),
      transformations: await addTransformations(tx, ctx, definition, bridge),
      schedules: request.schedules ? await addSchedules(tx, ctx, definition, { ...bridge, timezone }) : [],
    };
  });
}

type NewBridge = { id: string; name: string };

async function addTransformations(tx: Tx, ctx: Ctx, { transformations }: RestDefinition, bridge: NewBridge) {
  const added: Installation["transformations"] = [];
  for (const { taskName, direction, mode = "replace", mappings } of transformations) {
    const name = nameFor(bridge, taskName);
    const request = { name, bridgeId: bridge.id, taskName, direction, mode, mappings: [...mappings] };
    const { id } = await addTransformation(tx, ctx, request);
    added.push({ id, taskName, direction });
  }
  return added;
}

async function addSchedules(
  tx: Tx,
  ctx: Ctx,
  { schedules }: RestDefinition,
  { timezone, ...bridge }: NewBridge & { timezone: string },
) {
  const added: Installation["schedules"] = [];
  for (const { taskName, cron, input } of schedules) {
    const timing = checkTiming(cron, timezone);
    const request = {
      name: nameFor(bridge, taskName),
      bridgeId: bridge.id,
      taskName,
      cron,
      ...(input ? { input } : {}),
    };
    const { id } = await addSchedule(tx, ctx, request, { cron: timing.cron.expression, timezone: timing.timezone });
    added.push({ id, taskName, cron });
  }
  return added;
}

const maxNameLength = 100;

function nameFor(bridge: NewBridge, taskName: string): string {
  return cutText(`${bridge.name}: ${taskName}`, maxNameLength);
}

function pointedErrors(definition: RestDefinition, error: unknown): unknown {
  if (!(error instanceof HubError) || error.details.errors === undefined) return error;
  return validationFailed(error.details.errors.map((one) => pointToVariable(definition, one)));
}

function requireScope({ principal: { scopes } }: Ctx, scope: Scope): void {
  if (hasScope(scopes, scope)) return;
  const message = `Installing a definition also requires the scope ${scope}.`;
  throw new HubError("insufficient_scope", message, { extra: { required: [scope], granted: [...scopes] } });
}

function presentDefinition(definition: RestDefinition): Definition {
  const { name, title, description, docs, requiredScopes, variables, credentials, settings, schedules } = definition;
  return {
    name,
    title,
    description,
    docs,
    requiredScopes,
    variables: variables.map((variable) => ({
      name: variable.name,
      label: variable.label,
      description: variable.description ?? null,
      example: variable.example,
      default: variable.default ?? null,
      format: variable.format ?? "text",
    })),
    credentials: credentials.map((credential) => ({
      name: credential.name,
      label: credential.label,
      description: credential.description ?? null,
      isSecret: credential.secret,
      isRequired: !credential.isOptional,
    })),
    tasks: (settings.tasks ?? []).map((task) => ({ name: task.name, mode: task.mode })),
    schedules: schedules.map(({ taskName, cron }) => ({ taskName, cron })),
  };
}
