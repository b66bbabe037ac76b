import type { Static, TObject, TSchema } from "typebox";
import type { Ctx } from "./context.ts";
import type { ResourceKind } from "./core/resources.ts";
import { Deleted, PageOf } from "./core/schema.ts";
import type { IfMatch } from "./core/versions.ts";
import { defineRoute, type Route } from "./route.ts";

/** Scope, summary and failures have a default, which these replace. */
type ReadOptions = Partial<Pick<Route, "scope" | "summary" | "description">>;
type WriteOptions = Partial<Pick<Route, "scope" | "summary" | "description" | "failures" | "stepUp">> & {
  /** Schema of the response where it is not the record, or `Deleted`. */
  answer?: TSchema;
};
type BodyOptions<Body extends TSchema> = WriteOptions & Pick<Route, "bodyLimitBytes" | "idempotency"> & { body: Body };

type CrudDefinition<Query extends TObject, Body extends TSchema, Patch extends TSchema> = {
  /** Start of the route names: `locations` gives `locations.list`. */
  name: string;
  kind: ResourceKind;
  /** Used in summaries: "Get a location", "List locations". */
  nouns: readonly [one: string, many: string];
  /** Scope of list and get. */
  read: Route["scope"];
  /** Scope of create, update and delete. */
  write: Route["scope"];
  record: TSchema;
  list: ReadOptions & { query: Query; handle: (ctx: Ctx, query: Static<Query>) => Promise<unknown> };
  create: BodyOptions<Body> & { handle: (ctx: Ctx, body: Static<Body>) => Promise<unknown> };
  /** Other routes of the collection, such as `GET /bridges/connectors`. The API documentation lists them before the routes of one record. */
  more?: Route[];
  get: ReadOptions & { handle: (ctx: Ctx, id: string) => Promise<unknown> };
  update: BodyOptions<Patch> & {
    handle: (ctx: Ctx, id: string, body: Static<Patch>, ifMatch: IfMatch) => Promise<unknown>;
  };
  delete?: WriteOptions & { handle: (ctx: Ctx, id: string, ifMatch: IfMatch) => Promise<unknown> };
};

/** The routes of a plain resource: list, create, get, update, delete. Routes with other inputs use `defineRoute`. */
export function crudRoutes<Query extends TObject, Body extends TSchema, Patch extends TSchema>(
  path: `/${string}`,
  definition: CrudDefinition<Query, Body, Patch>,
): Route[] {
  const { name, kind, nouns, read, write, record, list, create, more = [], get, update } = definition;
  const { delete: remove } = definition;
  const [one, many] = nouns;
  const ids = { id: kind };
  const routes = [
    defineRoute(`GET ${path}`, {
      name: `${name}.list`,
      scope: read,
      summary: `List ${many}`,
      ...list,
      answer: [200, PageOf(record)],
      handle: (ctx, { query }) => list.handle(ctx, query),
    }),
    defineRoute(`POST ${path}`, {
      name: `${name}.create`,
      scope: write,
      summary: `Create ${one}`,
      ...create,
      answer: [201, create.answer ?? record],
      handle: (ctx, { body }) => create.handle(ctx, body),
    }),
    ...more,
    defineRoute(`GET ${path}/:id`, {
      name: `${name}.get`,
      scope: read,
      summary: `Get ${one}`,
      ids,
      ...get,
      answer: [200, record],
      handle: (ctx, { params }) => get.handle(ctx, params.id),
    }),
    defineRoute(`PATCH ${path}/:id`, {
      name: `${name}.update`,
      scope: write,
      summary: `Update ${one}`,
      ids,
      failures: [409, 412],
      ...update,
      answer: [200, update.answer ?? record],
      handle: (ctx, { params, body, ifMatch }) => update.handle(ctx, params.id, body, ifMatch),
    }),
  ];
  if (remove) {
    const route = defineRoute(`DELETE ${path}/:id`, {
      name: `${name}.delete`,
      scope: write,
      summary: `Delete ${one}`,
      ids,
      failures: [412],
      ...remove,
      answer: [200, remove.answer ?? Deleted],
      handle: (ctx, { params, ifMatch }) => remove.handle(ctx, params.id, ifMatch),
    });
    routes.push(route);
  }
  return routes;
}
