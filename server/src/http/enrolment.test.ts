import { expect, test } from "vitest";
import { allRoutes, exampleBody, pathOf } from "../testing/route-samples.ts";
import { startTestHub } from "../testing/test-hub.ts";

// The preview has all routes.
const hub = await startTestHub({ environment: "preview" });
const routes = allRoutes(hub.mounts).filter(({ route }) => route.scope !== "public");

/** A user with a password only, in an organization that requires an authenticator app. */
async function aPersonWithoutApp(role: "admin" | "operator") {
  const org = await hub.org();
  const person = await org.withRole(role);
  await org.patch(`/organizations/${org.id}`, { requiresTotp: true });
  return { org, person };
}

test("until the required app is set up, only the routes that set it up, and those of the own session, are open", () => {
  const open = routes.filter(({ route }) => route.beforeEnrollment).map(({ name }) => name);
  expect(open.toSorted()).toEqual(
    [
      "DELETE /api/v1/auth/session",
      "POST /api/v1/auth/step-up",
      "GET /api/v1/me",
      "GET /api/v1/me/totp",
      "POST /api/v1/me/totp",
      "POST /api/v1/me/totp/confirm",
      "GET /api/v1/sessions",
      "DELETE /api/v1/sessions/:id",
      "POST /api/v1/sessions/revoke-others",
    ].toSorted(),
  );
});

test("every other route is rejected, whatever scope it requires", async () => {
  const { person } = await aPersonWithoutApp("admin");
  const closed = routes.filter(({ route }) => !route.beforeEnrollment);
  expect(closed.filter(({ route }) => route.scope === "any").length).toBeGreaterThan(10);
  const answers = [];
  for (const mounted of closed) {
    const path = pathOf(mounted, () => crypto.randomUUID());
    const { body } = await person.call(mounted.route.method, path, exampleBody(mounted.route));
    answers.push([mounted.name, (body.error ?? body).code]);
  }
  expect(answers.filter(([, code]) => code !== "totp_enrollment_required")).toEqual([]);
});

test("administrators see and end only their own sessions before they have set up the app", async () => {
  const { org, person } = await aPersonWithoutApp("admin");
  const other = await org.withRole("operator");
  expect((await person.get("/sessions")).body.data).toHaveLength(1);
  expect((await person.get(`/sessions?userId=${other.userId}`)).body.code).toBe("admin_required");
  const { body: theirs } = await org.get(`/sessions?userId=${other.userId}`);
  expect((await person.delete(`/sessions/${theirs.data[0].id}`)).status).toBe(404);
});
