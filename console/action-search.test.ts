import fc from "fast-check";
import { expect, test } from "vitest";
import { actionCatalog } from "../server/src/features/operations/action-catalog.ts";
import { findActions } from "./src/features/operations/action-search.ts";

/** The catalog as the API lists it when every action is available. */
const catalog = actionCatalog.map((action) => ({
  type: action.type,
  title: action.title,
  description: action.description,
  params_schema: action.params as unknown as Record<string, unknown>,
  effect: action.needsBridges || action.isLastWord ? ("external" as const) : ("local" as const),
  reversible: action.irreversible === undefined,
  available: true,
}));

test.each([
  ["note", "Add note"],
  ["add note", "Add note"],
  ["ship", "Set shipping"],
  ["shipped", "Mark as shipped"],
  ["mark shipped", "Mark as shipped"],
  ["unshipped", "Mark as unshipped"],
  ["address", "Validate address"],
  ["update", "Update address"],
  ["paid", "Mark as paid"],
  ["label", "Buy label"],
  ["void", "Void labels"],
  ["weight", "Set package"],
  ["dimensions", "Set package"],
  ["task", "Run task"],
  ["tag", "Add tags"],
  ["remove tag", "Remove tags"],
  ["hold", "Place on hold"],
  ["release", "Release holds"],
  ["cancel", "Cancel"],
  ["Cancel ", "Cancel"],
  ["merge", "Merge"],
  ["split", "Split"],
  ["duplicate", "Duplicate"],
  ["archive", "Archive"],
  ["restore", "Restore"],
  ["review", "Require review"],
  ["status", "Set status"],
  ["priority", "Set priority"],
  ["carrier", "Set shipping"],
  ["rate", "Choose rate"],
  ["tracking", "Correct tracking number"],
  ["user", "Assign user"],
  ["location", "Assign location"],
  ["line", "Edit lines"],
  ["date", "Set dates"],
  ["custom field", "Set custom field"],
  ["fulfil", "Send to fulfillment"],
  ["fulfillment", "Send to fulfillment"],
  ["recall", "Recall from fulfillment"],
])("Enter after %j adds %s", (typed, title) => {
  expect(findActions(catalog, typed).first?.title).toBe(title);
});

test("actions that match only by description are listed, but not added by Enter", () => {
  for (const typed of ["refund", "records the reason", "mistake"]) {
    const { found, first } = findActions(catalog, typed);
    expect([typed, found.length > 0, first?.title]).toEqual([typed, true, undefined]);
  }
  expect(findActions(catalog, "").first).toBe(undefined);
  expect(findActions(catalog, " ").found).toHaveLength(catalog.length);
  expect(findActions(catalog, "bicycle")).toEqual({ found: [], first: undefined });
});

test("an action that cannot be used is not added by Enter", () => {
  const without = catalog.map((action) => ({ ...action, available: action.type !== "buy_label" }));
  expect(findActions(without, "label").first?.type).toBe("void_label");
  expect(findActions(without, "buy").first).toBe(undefined);
});

test("every action is found by its title, the beginning of it, and its type; no input breaks the search", () => {
  for (const action of catalog) {
    for (const typed of [action.title, action.title.toUpperCase(), action.type])
      expect(findActions(catalog, typed).first?.type).toBe(action.type);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: action.title.length }), (end) =>
        findActions(catalog, action.title.slice(0, end)).found.includes(action),
      ),
    );
  }
  fc.assert(
    fc.property(fc.string(), (typed) => {
      const { found, first } = findActions(catalog, typed);
      return first === undefined || found.includes(first);
    }),
  );
});
