import { afterEach, expect, test } from "vitest";
import { demoCarrier } from "../../carriers/demo/demo-carrier.ts";
import { RemoteError } from "../../core/remote-error.ts";
import { Strict } from "../../core/schema.ts";
import { Type } from "../../core/type.ts";
import { standInCarrier, startStandInCarrier } from "../../testing/stand-in-carrier.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { aParcel } from "../labels/labels.schemas.ts";
import { aSmallCard } from "./carrier-accounts.schemas.ts";

const hub = await startTestHub();
const org = await hub.org();
const carrier = await startStandInCarrier();
const { credentials } = standInCarrier;

afterEach(() => {
  delete standInCarrier.testAccount;
  delete standInCarrier.isTest;
  standInCarrier.credentials = credentials;
});

const testOf = async (id: string) => (await org.post(`/carrier-accounts/${id}/test`)).body;

test("an account without problems works; one that uses rate cards needs one", async () => {
  const demo = await org.post("/carrier-accounts", { name: "Demo", carrier: "demo" });
  expect(await testOf(demo.body.id)).toEqual({ ok: true, problems: [] });
  const { body } = await org.post("/carrier-accounts", { name: "Contract", carrier: "rate-card" });
  const lacking = await testOf(body.id);
  expect(lacking).toMatchObject({ ok: false, problems: [{ part: "settings" }] });
  expect(lacking.problems[0].message).toContain("no rate card in effect");
  await org.post(`/carrier-accounts/${body.id}/rate-cards`, { card: aSmallCard });
  expect(await testOf(body.id)).toEqual({ ok: true, problems: [] });
});

test("the carrier says what is wrong, and the hub what it could not reach", async () => {
  const id = await carrier.account(hub, org);
  const problems = [{ part: "account" as const, message: "Account 123 is closed." }];
  standInCarrier.testAccount = () => Promise.resolve(problems);
  expect(await testOf(id)).toEqual({ ok: false, problems });
  const failing = async (error: unknown) => {
    standInCarrier.testAccount = () => Promise.reject(error);
    return (await testOf(id)).problems;
  };
  expect(await failing(new RemoteError("unauthorized", "No such key."))).toEqual([
    { part: "key", message: "No such key." },
  ]);
  expect(await failing(new RemoteError("forbidden", "Rates only."))).toMatchObject([{ part: "permission" }]);
  expect(await failing(new RemoteError("address_not_allowed", "Private."))).toMatchObject([{ part: "address" }]);
  expect(await failing(new RemoteError("dns_failed", "No such name.", { retryable: true }))).toMatchObject([
    { part: "address" },
  ]);
  expect(await failing(new RemoteError("rejected", "Bad."))).toMatchObject([{ part: "settings" }]);
});

test("missing credentials are named without a call", async () => {
  const id = await carrier.account(hub, org);
  let calls = 0;
  standInCarrier.testAccount = () => Promise.resolve(void calls++).then(() => []);
  standInCarrier.credentials = Strict({ apiKey: Type.String({ minLength: 1 }) });
  const answer = await testOf(id);
  expect([answer.ok, calls]).toEqual([false, 0]);
  expect(answer.problems).toMatchObject([{ part: "key", message: expect.stringContaining("credentials/apiKey") }]);
});

test("the preview calls a carrier in its test mode, and no other", async () => {
  const preview = await startTestHub({ environment: "preview" });
  const own = await preview.org();
  const id = await carrier.account(preview, own);
  const buy = () => own.post("/shipments/labels", { ...aParcel, carrierAccountId: id });
  expect((await buy()).body.code).toBe("outbound_disabled_in_preview");
  let asked: unknown;
  standInCarrier.isTest = (account) => {
    asked = account;
    return String(account.credentials.token).startsWith("TEST_");
  };
  expect((await buy()).body.code).toBe("outbound_disabled_in_preview");
  await own.patch(`/carrier-accounts/${id}`, { credentials: { token: "TEST_1" } });
  expect((await buy()).status).toBe(201);
  expect(asked).toEqual({ settings: { baseUrl: carrier.url }, credentials: { token: "TEST_1" } });
});

test("the catalog says what each carrier supports", async () => {
  demoCarrier.extraOptions = Strict({ dryIce: Type.Optional(Type.Boolean()) });
  const { data } = (await org.get("/carrier-accounts/carriers")).body;
  delete demoCarrier.extraOptions;
  const [card, demo] = ["rate-card", "demo"].map((name) => data.find((one: { name: string }) => one.name === name));
  expect(card).toMatchObject({ supports: { quotes: true, labels: false, tracking: false }, labelTypes: [] });
  expect(card.extraOptions).toBeNull();
  expect(demo).toMatchObject({
    supports: { labels: true, voids: true, pickups: true, tracking: true, manifests: true, addressCheck: false },
    labelTypes: ["application/pdf"],
    extraOptions: { properties: { dryIce: { type: "boolean" } } },
  });
});
