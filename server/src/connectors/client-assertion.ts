import type { KeyObject } from "node:crypto";
import { createPrivateKey, randomUUID } from "node:crypto";
import { SignJWT } from "jose";
import { RemoteError } from "../core/remote-error.ts";
import type { AssertionAlgorithm } from "./connector.ts";

type Assertion = {
  clientId: string;
  /** PEM. */
  privateKey: string;
  algorithm: AssertionAlgorithm;
  keyId?: string | undefined;
  /** The token endpoint. */
  audience: string;
  scope?: string | undefined;
};

const lifetime = "5 minutes";

/**
 * The form fields with which a client authenticates by a signed JWT (RFC 7523, private_key_jwt). The scope is part of the
 * assertion as well, since NetSuite reads it there.
 */
export async function clientAssertion({ clientId, privateKey, algorithm, keyId, audience, scope }: Assertion) {
  const problem = assertionKeyProblem(privateKey, algorithm);
  if (problem !== undefined)
    throw new RemoteError("authentication_failed", `The private key is not usable. ${problem}`);
  const jwt = await new SignJWT(scope === undefined ? {} : { scope })
    .setProtectedHeader({ typ: "JWT", alg: algorithm, ...(keyId === undefined ? {} : { kid: keyId }) })
    .setIssuer(clientId)
    .setSubject(clientId)
    .setAudience(audience)
    .setJti(randomUUID())
    .setIssuedAt()
    .setExpirationTime(lifetime)
    .sign(readKey(privateKey));
  return { client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer", client_assertion: jwt };
}

/** Forms and environment variables lose the line breaks of a PEM text, so they are set again. */
function readKey(pem: string): KeyObject {
  const [, label = "", body = ""] = /-----BEGIN ([A-Z ]+)-----([\s\S]*?)-----END \1-----/.exec(pem) ?? [];
  const lines = body.replaceAll(/\s|\\n/g, "").match(/.{1,64}/g) ?? [];
  return createPrivateKey([`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ""].join("\n"));
}

const minRsaBits = 2048;

/** Why a private key cannot sign with the algorithm. */
export function assertionKeyProblem(privateKey: string, algorithm: AssertionAlgorithm): string | undefined {
  let key: KeyObject;
  try {
    key = readKey(privateKey);
  } catch {
    return "This is not a private key in PEM format without a password.";
  }
  const { asymmetricKeyType: type, asymmetricKeyDetails: details = {} } = key;
  if (algorithm === "ES256") {
    return type === "ec" && details.namedCurve === "prime256v1"
      ? undefined
      : "ES256 requires an EC key on the curve P-256.";
  }
  if (type !== "rsa" || (details.modulusLength ?? 0) < minRsaBits) {
    return `${algorithm} requires an RSA key of at least ${minRsaBits} bits.`;
  }
  return undefined;
}
