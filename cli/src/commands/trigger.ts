import { setTimeout as delay } from "node:timers/promises";
import { nearestName } from "../../../server/src/core/nearest.ts";
import type { Event, Hub } from "../../../sdk/src/hub.ts";
import type { Command } from "../command.ts";
import { connectionOptions, outputOptions } from "../command.ts";
import { connect } from "../connection.ts";
import { CliError, exitCodes, usageError } from "../exit.ts";
import { printRecord, printRecords } from "../output.ts";
import { triggers } from "../triggers.ts";

const patienceMs = 30_000;
const everyMs = 200;

export const trigger: Command = {
  summary: "Cause an event in the preview",
  usage: "[TYPE]",
  args: { min: 0, max: 1 },
  options: { ...outputOptions, ...connectionOptions },
  details: `Does by API calls what leads to the event, so that it arrives in streams and webhooks like any other, and prints it. The records
stay until the preview is reset. Without a type, the types are listed. hub listen forwards the event to your program.

  hub trigger order.created --profile preview`,
  async run(given) {
    const [type] = given.args;
    if (type === undefined) {
      const types = Object.entries(triggers).map(([name, { summary }]) => ({ type: name, summary }));
      await printRecords(types, { given });
      return undefined;
    }
    const found = Object.hasOwn(triggers, type) ? triggers[type] : undefined;
    if (!found) {
      const meant = nearestName(type, Object.keys(triggers));
      const hint = meant === undefined ? "hub trigger lists those that can." : `Did you mean ${meant}?`;
      throw usageError(`"${type}" cannot be triggered. ${hint}`);
    }
    const { environment, hub, url } = connect(given);
    if (environment === "live") throw usageError(`${url} is live. Sign in to the preview: hub login --hub URL.`);
    const objectId = await found.run(hub, `trigger-${Date.now().toString(36)}`);
    await printRecord(await findEvent(hub, type, objectId), { given, isAfterChange: true });
    return undefined;
  },
};

/** Work in the background may still be on its way to the event. */
async function findEvent(hub: Hub, type: string, objectId: string): Promise<Event> {
  const giveUpAt = performance.now() + patienceMs;
  while (performance.now() < giveUpAt) {
    for await (const event of hub.events.list({ types: type, objectId })) if (event.type === type) return event;
    await delay(everyMs);
  }
  throw new CliError(
    exitCodes.timedOut,
    `the change was made, but ${type} did not appear within ${patienceMs / 1000} s.`,
  );
}
