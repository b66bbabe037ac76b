import { nearestName } from "../../server/src/core/nearest.ts";
import type { StreamMessage } from "../../sdk/src/event-stream.ts";
import { Hub } from "../../sdk/src/hub.ts";
import type { Given } from "./command.ts";
import { readVariable } from "./environment.ts";
import { CliError, exitCodes, usageError } from "./exit.ts";
import { readProfiles } from "./profiles.ts";

/** Calls by method and path: the commands of the operations table are not known at compile time. */
export type UntypedClient = {
  call(key: string, input: object): Promise<unknown>;
  upload(key: string, input: object): Promise<unknown>;
  stream(key: string, input: object): AsyncGenerator<StreamMessage>;
};

export type Connection = {
  url: string;
  environment: "live" | "preview";
  hub: Hub;
  client: UntypedClient;
};

export const defaultUrl = "http://127.0.0.1:8080";

/** An option takes precedence over a variable, and that over the profile. */
export function connect(given: Given): Connection {
  const { url, apiKey } = findCredentials(given);
  const hub = new Hub({ url, apiKey });
  return { url, environment: environmentOf(apiKey), hub, client: hub.client };
}

export function environmentOf(apiKey: string): Connection["environment"] {
  return apiKey.startsWith("ooh_test_") ? "preview" : "live";
}

export function findCredentials(given: Given): { url: string; apiKey: string } {
  const name = given.text("profile") ?? readVariable("HUB_PROFILE");
  const givenUrl = given.text("hub") ?? readVariable("HUB_URL");
  const url = givenUrl === undefined ? undefined : parseUrl(givenUrl);
  const key = readVariable("HUB_API_KEY");
  if (key !== undefined && name === undefined) return { url: url ?? currentUrl() ?? defaultUrl, apiKey: key };
  const { profiles, current } = readProfiles();
  // The key of one hub is never sent to another: an address without a profile chooses the profile with that address.
  const chosen =
    name ?? (url === undefined ? current : Object.keys(profiles).find((one) => profiles[one]!.url === url));
  const profile = chosen !== undefined && Object.hasOwn(profiles, chosen) ? profiles[chosen] : undefined;
  if (name !== undefined && !profile) throw unknownProfile(name, Object.keys(profiles));
  if (!profile) {
    const where = url === undefined ? "" : ` for ${url}`;
    throw new CliError(exitCodes.denied, `not signed in${where}. Run hub login, or set HUB_URL and HUB_API_KEY.`);
  }
  if (url !== undefined && url !== profile.url)
    throw usageError(`the profile ${chosen} is for ${profile.url}, not ${url}. Leave out one of them.`);
  return { url: profile.url, apiKey: profile.apiKey };
}

function currentUrl(): string | undefined {
  const { profiles, current } = readProfiles();
  return current === undefined ? undefined : profiles[current]?.url;
}

function unknownProfile(name: string, known: string[]): CliError {
  const meant = nearestName(name, known);
  const hint = meant === undefined ? `Sign in with hub login --profile ${name}.` : `Did you mean ${meant}?`;
  return usageError(`there is no profile "${name}". ${hint}`);
}

/** The origin of the hub, also if the address of its API was given. */
export function parseUrl(text: string): string {
  const withScheme = /^https?:\/\//.test(text) ? text : `http://${text}`;
  if (!URL.canParse(withScheme)) throw usageError(`"${text}" is no address of a hub, such as ${defaultUrl}.`);
  const { origin, pathname } = new URL(withScheme);
  return origin + pathname.replace(/(?:\/api(?:\/v1)?)?\/*$/, "");
}
