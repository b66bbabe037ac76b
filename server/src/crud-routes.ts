import type { Static, TObject, TSchema } from "typebox";
import type { Ctx } from "./context.ts";
import type { ResourceKind } from "./core/resources.ts";
import { Deleted, PageOf } from "./core/schema.ts";
import type { Scope } from "./core/scopes.ts";
import type { IfMatch } from "./core/versions.ts";
import type { Route } from "./route.ts";
import { defineRoute } from "./route.ts";

type Texts = { summary?: string; description?: string };
type Verb = Texts & { failures?: readonly number[]; stepUp?: Route["stepUp"] };

type CrudDefinition<Query extends TObject, Body extends TSchema, Patch extends TSchema> = {
  /** First part of the operation ids: `locations` gives `locations.list` and so on. */
  name: string;
  kind: ResourceKind;
  /** As summaries name one record and several: "a location", "locations". */
  nouns: readonly [one: string, many: string];
  read: Scope | "any";
  write: Scope | "any";
  record: TSchema;
  list: Texts & { query: Query; handle(ctx: Ctx, query: Static<Query>): Promise<unknown> };
  create?: Verb & {
    body: Body;
    /** Where it differs from the record, for example by a secret that is shown once. */
    answer?: TSchema;
    idempotency?: Route["idempotency"];
    handle(ctx: Ctx, body: Static<Body>): Promise<unknown>;
  };
  get: Texts & { handle(ctx: Ctx, id: string): Promise<unknown> };
  update?: Verb & {
    body: Patch;
    handle(ctx: Ctx, id: string, body: Static<Patch>, ifMatch: IfMatch): Promise<unknown>;
  };
  delete?: Verb & { handle(ctx: Ctx, id: string, ifMatch: IfMatch): Promise<unknown> };
};

/**
 * The routes of a plain resource: list, create, get, update, delete. Only what differs between resources is written down; what
 * they share (statuses, If-Match, 404 of the kind) is the same for all of them here.
 */
export function crudRoutes<Query extends TObject, Body extends TSchema, Patch extends TSchema>(
  path: `/${string}`,
  { name, kind, nouns, read, write, record, ...verbs }: CrudDefinition<Query, Body, Patch>,
): Route[] {
  const [one, many] = nouns;
  const ids = { id: kind };
  const { list, create, get, update, delete: remove } = verbs;
  const routes = [
    defineRoute(`GET ${path}`, {
      name: `${name}.list`,
      scope: read,
      summary: `List ${many}`,
      answer: [200, PageOf(record)],
      ...list,
      handle: (ctx, { query }) => list.handle(ctx, query),
    }),
  ];
  if (create) {
    const { answer = record, ...more } = create;
    routes.push(
      defineRoute(`POST ${path}`, {
        name: `${name}.create`,
        scope: write,
        summary: `Create ${one}`,
        ...more,
        answer: [201, answer],
        handle: (ctx, { body }) => create.handle(ctx, body),
      }),
    );
  }
  routes.push(
    defineRoute(`GET ${path}/:id`, {
      name: `${name}.get`,
      scope: read,
      summary: `Get ${one}`,
      ids,
      answer: [200, record],
      ...get,
      handle: (ctx, { params }) => get.handle(ctx, params.id),
    }),
  );
  if (update) {
    routes.push(
      defineRoute(`PATCH ${path}/:id`, {
        name: `${name}.update`,
        scope: write,
        summary: `Update ${one}`,
        ids,
        answer: [200, record],
        failures: [409, 412],
        ...update,
        handle: (ctx, { params, body, ifMatch }) => update.handle(ctx, params.id, body, ifMatch),
      }),
    );
  }
  if (remove) {
    routes.push(
      defineRoute(`DELETE ${path}/:id`, {
        name: `${name}.delete`,
        scope: write,
        summary: `Delete ${one}`,
        ids,
        answer: [200, Deleted],
        failures: [412],
        ...remove,
        handle: (ctx, { params, ifMatch }) => remove.handle(ctx, params.id, ifMatch),
      }),
    );
  }
  return routes;
}
