import { crudRoutes } from "../../crud-routes.ts";
import * as shapes from "./views.schemas.ts";
import * as views from "./views.ts";

export const viewRoutes = crudRoutes("/views", {
  name: "views",
  kind: "view",
  nouns: ["a saved view", "saved views"],
  read: "any",
  write: "any",
  record: shapes.View,
  list: {
    description: "Your own views and those shared with the organization.",
    query: shapes.ViewQuery,
    handle: views.listViews,
  },
  create: { summary: "Save a view", body: shapes.ViewRequest, handle: views.createView },
  get: { handle: views.getView },
  update: {
    description: "Your own views; administrators can also update shared views.",
    body: shapes.ViewPatch,
    handle: views.updateView,
  },
  delete: {
    description: "Your own views; administrators can also delete shared views.",
    handle: views.deleteView,
  },
});
