import { hostname } from "node:os";
import { Hub, HubApiError } from "../../../sdk/src/hub.ts";
import { ask, isInteractive, readInput } from "../ask.ts";
import type { Command, Given } from "../command.ts";
import { connectionOptions } from "../command.ts";
import { defaultUrl, environmentOf, parseUrl } from "../connection.ts";
import { readVariable } from "../environment.ts";
import { CliError, exitCodes, usageError } from "../exit.ts";
import { note } from "../output.ts";
import type { Profile } from "../profiles.ts";
import { readProfiles, saveProfile } from "../profiles.ts";

const keyDays = 90;
/** A key on a laptop should not be able to create users and keys, or to reach beyond its organization, unless that is asked for. */
const onlyIfNamed = new Set(["admin", "operations:override", "gateway:global", "organizations:write"]);

export const login: Command = {
  summary: "Sign in to a hub and store an API key",
  options: {
    ...connectionOptions,
    email: { type: "string", text: "Email of an administrator; asked for if it is missing" },
    "password-stdin": { type: "boolean", text: "Read the password from stdin" },
    "with-key": { type: "boolean", text: "Read an API key from stdin instead of creating one" },
    "totp-code": { type: "string", placeholder: "CODE", text: "Code of the authenticator app" },
    organization: { type: "string", placeholder: "ID", text: "Needed if the account belongs to several organizations" },
    scopes: { type: "string", placeholder: "A,B", text: "Scopes of the key; default all except administration" },
  },
  details: `Creates an API key that expires after ${keyDays} days, and stores it in a file that only you can read. The password is
not stored. Keys can be created by administrators; others use a key that they were given:

  hub login --hub https://hub.example.com
  echo "$KEY" | hub login --hub https://hub.example.com --with-key

The profile is called live or preview, unless --profile names it.`,
  async run(given) {
    const url = await askUrl(given);
    const [profile, name] = given.flag("with-key") ? await storeGivenKey(url, given) : await storeNewKey(url, given);
    note(`Signed in to ${url} as the profile ${name}.`);
    if (profile.expiresAt) note(`The key expires on ${profile.expiresAt.slice(0, 10)}.`);
    return undefined;
  },
};

async function askUrl(given: Given): Promise<string> {
  const known = given.text("hub") ?? readVariable("HUB_URL");
  if (known !== undefined) return parseUrl(known);
  if (!isInteractive()) return defaultUrl;
  return parseUrl((await ask(`Address of the hub [${defaultUrl}]: `)) || defaultUrl);
}

async function storeGivenKey(url: string, given: Given): Promise<[Profile, string]> {
  const apiKey = isInteractive() ? await ask("API key: ", { isSecret: true }) : (await readInput()).trim();
  if (!/^ooh_(?:live|test)_\S+$/.test(apiKey)) throw usageError("an API key starts with ooh_live_ or ooh_test_.");
  const name = profileName(given, url, environmentOf(apiKey));
  await new Hub({ url, apiKey }).me.get();
  const profile = { url, apiKey };
  saveProfile(name, profile);
  return [profile, name];
}

async function storeNewKey(url: string, given: Given): Promise<[Profile, string]> {
  const { accessToken, refreshToken } = await signIn(url, given);
  const session = new Hub({ url, apiKey: accessToken });
  try {
    const { scopes, environment } = await session.me.get();
    const name = profileName(given, url, environment);
    if (!scopes.includes("admin")) {
      const hint = "Ask for one, then use hub login --with-key.";
      throw new CliError(exitCodes.denied, `only administrators can create API keys. ${hint}`);
    }
    const profile = await createKey(session, url, scopesOf(given) ?? usualScopes(scopes, environment));
    const previous = readProfiles().profiles[name];
    saveProfile(name, profile);
    // The key that this one replaces. It may be gone already.
    if (previous?.keyId !== undefined) await session.apiKeys.delete(previous.keyId).catch(() => undefined);
    return [profile, name];
  } finally {
    await session.auth.signOut({ refreshToken }).catch(() => undefined);
  }
}

/** Never replaces the profile of another hub, unless it was named. */
function profileName(given: Given, url: string, environment: string): string {
  const name = given.text("profile") ?? readVariable("HUB_PROFILE");
  if (name !== undefined) return name;
  const known = readProfiles().profiles[environment];
  if (known && known.url !== url)
    throw usageError(`the profile ${environment} is for ${known.url}. Choose another name with --profile NAME.`);
  return environment;
}

type Scopes = Parameters<Hub["apiKeys"]["create"]>[0]["scopes"];

async function createKey(session: Hub, url: string, scopes: string[]): Promise<Profile> {
  const { id, key, expiresAt } = await session.apiKeys.create({
    name: `hub command on ${hostname()}`.slice(0, 100),
    // The hub answers which names it does not know.
    scopes: scopes as Scopes & string[],
    expiresAt: new Date(Date.now() + keyDays * 86_400_000).toISOString(),
  });
  return { url, apiKey: key, keyId: id, expiresAt };
}

function scopesOf(given: Given): string[] | undefined {
  const names = given.text("scopes")?.split(",");
  return names?.map((scope) => scope.trim());
}

function usualScopes(scopes: readonly string[], environment: string): string[] {
  const isUsual = (scope: string): boolean =>
    !onlyIfNamed.has(scope) && (scope !== "preview:write" || environment === "preview");
  return scopes.filter(isUsual);
}

async function signIn(url: string, given: Given): Promise<{ accessToken: string; refreshToken: string }> {
  const hub = new Hub({ url });
  const isPiped = given.flag("password-stdin") ?? false;
  if (!isPiped && !isInteractive())
    throw usageError("there is no terminal to ask on. Use --password-stdin or --with-key.");
  const email = given.text("email") ?? (isPiped ? undefined : await ask("Email: "));
  if (email === undefined) throw usageError("--password-stdin needs --email.");
  const password = isPiped ? (await readInput()).replace(/\r?\n$/, "") : await ask("Password: ", { isSecret: true });
  const organizationId = given.text("organization");
  const account = { email, password, ...(organizationId === undefined ? {} : { organizationId }) };
  const code = given.text("totp-code");
  try {
    return await hub.auth.signIn({ ...account, ...(code === undefined ? {} : { totpCode: code }) });
  } catch (error) {
    const needsCode = error instanceof HubApiError && error.code === "totp_required";
    if (!needsCode || !isInteractive()) throw error;
    return await hub.auth.signIn({ ...account, totpCode: await ask("Authenticator code: ") });
  }
}
