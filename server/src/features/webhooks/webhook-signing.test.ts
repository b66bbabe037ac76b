import { createPublicKey, verify } from "node:crypto";
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { makeSecret, signedHeaders, signerOf } from "./webhook-signing.ts";

test("signs as the specification requires", () => {
  const message = {
    id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
    at: new Date(1_614_265_330_000),
    body: '{"test": 2432232314}',
  };
  const signer = signerOf("hmac", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
  expect(signedHeaders(message, [signer])).toEqual({
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  });
});

test("the reference library accepts any payload with either of two secrets and with no other", () => {
  const [old, fresh, other] = [makeSecret("hmac"), makeSecret("hmac"), makeSecret("hmac")];
  const signers = [fresh, old].map(({ kept }) => signerOf("hmac", kept));
  fc.assert(
    fc.property(fc.json(), fc.uuid(), (body, id) => {
      const headers = signedHeaders({ id, at: new Date(), body }, signers);
      for (const { shown } of [old, fresh]) expect(new Webhook(shown!).verify(body, headers)).toEqual(JSON.parse(body));
      expect(() => new Webhook(other.shown!).verify(body, headers)).toThrow(/No matching signature/);
      expect(() => new Webhook(fresh.shown!).verify(`${body} `, headers)).toThrow(/No matching signature/);
    }),
    { numRuns: 50 },
  );
});

test("with ed25519 the public key verifies the signature", () => {
  const { kept, shown, publicKey } = makeSecret("ed25519");
  expect(shown).toBeNull();
  const body = '{"a":1}';
  const headers = signedHeaders({ id: "m", at: new Date(5_000), body }, [signerOf("ed25519", kept)]);
  const [scheme, signature] = headers["webhook-signature"]!.split(",");
  const raw = Buffer.from(publicKey!.replace(/^whpk_/, ""), "base64");
  const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: raw.toString("base64url") }, format: "jwk" });
  const isValid = (content: string): boolean =>
    verify(null, Buffer.from(content), key, Buffer.from(signature!, "base64"));
  expect([scheme, isValid(`m.5.${body}`), isValid(`m.6.${body}`)]).toEqual(["v1a", true, false]);
});
