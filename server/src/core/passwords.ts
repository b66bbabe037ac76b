import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

const deriveNow = promisify(argon2);

/**
 * Node has four threads for hashing, DNS lookups and files together. If all four hashed passwords, outbound calls would wait
 * for their DNS lookups. Two are left free; a machine of two cores hashes no faster with four.
 */
const mostAtOnce = 2;
let atWork = 0;
const waiting: (() => void)[] = [];

const derive: typeof deriveNow = async (algorithm, parameters) => {
  // A finished hash hands its slot to the first in the queue, so that a later caller cannot take it first.
  if (atWork < mostAtOnce) atWork++;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    return await deriveNow(algorithm, parameters);
  } finally {
    const next = waiting.shift();
    if (next) next();
    else atWork--;
  }
};

/** OWASP's smallest recommended argon2id setting: about 20 ms and 19 MiB for each try. */
const recommended = { memory: 19 * 1024, passes: 2 };
const fixed = { parallelism: 1, tagLength: 32 };

/** What it takes to try a password: in KiB, and how often they are gone through. */
export type PasswordCost = typeof recommended;

export async function hashPassword(password: string, given: PasswordCost = recommended): Promise<string> {
  const nonce = randomBytes(16);
  const cost = { ...given, ...fixed };
  const tag = await derive("argon2id", { ...cost, message: normalise(password), nonce });
  return [
    "argon2id",
    cost.memory,
    cost.passes,
    cost.parallelism,
    nonce.toString("base64"),
    tag.toString("base64"),
  ].join("$");
}

export async function passwordMatches(password: string, stored: string): Promise<boolean> {
  const [algorithm, memory, passes, parallelism, nonce = "", tag = ""] = stored.split("$");
  if (algorithm !== "argon2id") return false;
  const expected = Buffer.from(tag, "base64");
  const actual = await derive("argon2id", {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    tagLength: expected.length,
    message: normalise(password),
    nonce: Buffer.from(nonce, "base64"),
  });
  return timingSafeEqual(actual, expected);
}

/** The same password typed on another keyboard layout may arrive decomposed. */
function normalise(password: string): Buffer {
  return Buffer.from(password.normalize("NFKC"));
}
