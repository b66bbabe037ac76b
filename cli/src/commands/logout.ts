import { nearestName } from "../../../server/src/core/nearest.ts";
import type { Command } from "../command.ts";
import { readVariable } from "../environment.ts";
import { CliError, exitCodes, usageError } from "../exit.ts";
import { note } from "../output.ts";
import { readProfiles, removeProfile } from "../profiles.ts";

export const logout: Command = {
  summary: "Forget a stored sign-in",
  options: {
    profile: { type: "string", placeholder: "NAME", text: "Which one; default HUB_PROFILE, then the last one" },
  },
  details: "The API key stays valid until it expires or an administrator deletes it: hub api-keys delete ID.",
  run: (given) => {
    const { profiles, current } = readProfiles();
    const name = given.text("profile") ?? readVariable("HUB_PROFILE") ?? current;
    if (name === undefined) throw new CliError(exitCodes.failed, "not signed in.");
    if (!Object.hasOwn(profiles, name)) {
      const meant = nearestName(name, Object.keys(profiles));
      throw usageError(`there is no profile "${name}".${meant === undefined ? "" : ` Did you mean ${meant}?`}`);
    }
    removeProfile(name);
    const { keyId } = profiles[name]!;
    note(
      `Forgot the profile ${name}.${keyId === undefined ? "" : ` Its API key ${keyId} stays valid until it is deleted.`}`,
    );
    return Promise.resolve(undefined);
  },
};
