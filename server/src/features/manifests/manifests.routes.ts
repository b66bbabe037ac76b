import { labelTypes } from "../../carriers/seam/labels.ts";
import { PageOf } from "../../core/schema.ts";
import { Type } from "../../core/type.ts";
import { defineRoute } from "../../route.ts";
import * as shapes from "./manifests.schemas.ts";
import * as manifests from "./manifests.ts";

const ids = { id: "manifest" } as const;

export const manifestRoutes = [
  defineRoute("GET /shipments/manifests", {
    name: "shipments.manifests.list",
    scope: "shipments:read",
    summary: "List manifests",
    query: shapes.ManifestQuery,
    answer: [200, PageOf(shapes.Manifest)],
    handle: (ctx, { query }) => manifests.listManifests(ctx, query),
  }),
  defineRoute("POST /shipments/manifests", {
    name: "shipments.manifests.create",
    scope: "shipments:write",
    summary: "Create the end-of-day document of a carrier",
    description:
      "Lists the parcels that are handed over together, such as a SCAN form of USPS: by default all purchased labels of the account, " +
      "sender address and ship date that are on no manifest yet and whose parcels the carrier does not have. " +
      "If the carrier does not respond, or makes the document in the background, the manifest stays `requested` (202) and the hub asks " +
      "again with the same key. Afterwards carriers reject most voids of these labels.",
    body: shapes.ManifestRequest,
    answer: [201, shapes.Manifest],
    mayBeUnfinished: true,
    failures: [404, 409, 502],
    handle: (ctx, { body }) => manifests.createManifest(ctx, body),
  }),
  defineRoute("GET /shipments/manifests/:id", {
    name: "shipments.manifests.get",
    scope: "shipments:read",
    summary: "Get a manifest",
    ids,
    answer: [200, shapes.Manifest],
    handle: (ctx, { params }) => manifests.getManifest(ctx, params.id),
  }),
  defineRoute("GET /shipments/manifests/:id/content", {
    name: "shipments.manifests.content.get",
    scope: "shipments:read",
    summary: "Download a manifest",
    description: "As the carrier sent it, up to 5 MiB. It may list recipients, so it also requires `pii:read`.",
    ids,
    answer: [200, Type.String({ format: "binary" })],
    answerType: labelTypes,
    failures: [409],
    handle: (ctx, { params }) => manifests.readManifestContent(ctx, params.id),
  }),
];
