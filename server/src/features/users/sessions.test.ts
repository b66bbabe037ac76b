import { describe, expect, test } from "vitest";
import { startTestHub } from "../../testing/test-hub.ts";
import { flushSessionUsage } from "./live-sessions.ts";

const hub = await startTestHub();
const org = await hub.org();

async function aPerson() {
  const first = await org.withRole("operator");
  const { email } = (await first.get("/me")).body.actor;
  const signIn = async (agent: string) => {
    const headers = { "user-agent": agent };
    const { body } = await hub.anonymous.post("/auth/token", { email, password: org.admin.password }, { headers });
    return { ...hub.client(body.accessToken), refreshToken: body.refreshToken as string };
  };
  return { first, signIn, userId: first.userId };
}
type Listed = { id: string; userAgent: string; isCurrent: boolean; address: string; lastUsedAt: string };
const sessionsOf = async (client: { get: typeof org.get }, query = ""): Promise<Listed[]> =>
  (await client.get(`/sessions${query}`)).body.data;

describe("sessions", () => {
  test("are listed with their origin and last use", async () => {
    const { first, signIn } = await aPerson();
    const phone = await signIn("phone/1.0");
    expect(await sessionsOf(phone)).toMatchObject([
      { userAgent: "phone/1.0", address: "127.0.0.1", isCurrent: true },
      { isCurrent: false },
    ]);
    hub.advance(60_000);
    await phone.get("/me");
    await flushSessionUsage(hub.world);
    const [own] = await sessionsOf(first);
    expect(Date.parse(own!.lastUsedAt) - Date.parse((await sessionsOf(first))[1]!.lastUsedAt)).toBeGreaterThan(50_000);
  });

  test("an ended session is rejected on the other node with the next request, and cannot be renewed", async () => {
    const { first, signIn } = await aPerson();
    const other = await hub.secondNode();
    for (let round = 0; round < 5; round++) {
      const lost = await signIn(`lost/${round}`);
      const there = other.client(lost.token);
      expect((await there.get("/me")).status).toBe(200);
      const { id } = (await sessionsOf(first)).find(({ userAgent }) => userAgent === `lost/${round}`)!;
      expect((await first.delete(`/sessions/${id}`)).body).toEqual({ id, deleted: true });
      expect((await there.get("/me")).body).toMatchObject({ status: 401, code: "invalid_token" });
      const renewed = await hub.anonymous.post("/auth/refresh", { refreshToken: lost.refreshToken });
      expect(renewed.status).toBe(401);
      expect((await first.delete(`/sessions/${id}`)).status).toBe(404);
    }
    expect((await first.get("/me")).status).toBe(200);
  });

  test("all others are ended at once", async () => {
    const { first, signIn } = await aPerson();
    const others = [await signIn("a"), await signIn("b")];
    expect((await first.post("/sessions/revoke-others")).body).toEqual({ revokedCount: 2 });
    for (const other of others) expect((await other.get("/me")).status).toBe(401);
    expect(await sessionsOf(first)).toHaveLength(1);
    expect((await first.post("/sessions/revoke-others")).body).toEqual({ revokedCount: 0 });
  });

  test("of others can be listed and ended only by administrators", async () => {
    const { first, signIn, userId } = await aPerson();
    const stranger = await org.withRole("operator");
    const [session] = await sessionsOf(first);
    expect((await stranger.get(`/sessions?userId=${userId}`)).body.code).toBe("admin_required");
    expect((await stranger.delete(`/sessions/${session!.id}`)).body.code).toBe("session_not_found");
    expect(await sessionsOf(org, `?userId=${userId}`)).toMatchObject([{ id: session!.id }]);
    expect((await org.delete(`/sessions/${session!.id}`)).status).toBe(200);
    expect((await first.get("/me")).status).toBe(401);
    const again = await signIn("again");
    expect((await org.post(`/users/${userId}/revoke-sessions`)).body).toEqual({ revokedCount: 1 });
    expect((await again.get("/me")).status).toBe(401);
    const { data } = (await org.get(`/audit?type=session.revoked&objectId=${userId}`)).body;
    expect(data).toHaveLength(2);
  });

  test("end with their access tokens at a sign-out and with a new password", async () => {
    const { first, signIn } = await aPerson();
    const leaving = await signIn("leaving");
    await hub.anonymous.post("/auth/sign-out", { refreshToken: leaving.refreshToken });
    expect((await leaving.get("/me")).status).toBe(401);
    const change = { currentPassword: org.admin.password, newPassword: "an entirely new one" };
    expect((await first.post("/me/password", change)).status).toBe(200);
    expect((await first.get("/me")).status).toBe(401);
  });
});
