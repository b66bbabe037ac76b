import type { Command } from "../command.ts";
import { connectionOptions } from "../command.ts";
import { connect } from "../connection.ts";
import { usageError } from "../exit.ts";
import { countOf, followEvents, followOptions } from "../follow-events.ts";
import { deliver } from "../deliver.ts";
import { note, print } from "../output.ts";
import { listenSecretOf } from "../profiles.ts";
import { withTimeLimit } from "../time-limit.ts";

export const listen: Command = {
  summary: "Forward events to a local address as signed webhooks",
  options: {
    "forward-to": { type: "string", placeholder: "URL", text: "Where to send them, such as localhost:3000/webhooks" },
    secret: {
      type: "string",
      placeholder: "WHSEC",
      text: "Sign with this secret; default one that is kept for this hub",
    },
    "print-secret": { type: "boolean", text: "Print the secret and stop" },
    ...followOptions,
    ...connectionOptions,
  },
  details: `Reads the event stream and sends each event as the hub's webhooks do: the same body, headers and signature. The hub needs no
webhook and cannot be reached from outside. Events are sent one after another. While nothing listens at the address, the
event is repeated; other failures are reported and the next event follows. Resumes after a restart of the hub.

  WEBHOOK_SECRET=$(hub listen --print-secret) npm run dev
  hub listen --forward-to localhost:3000/webhooks --types 'order.*'`,
  async run(given) {
    const connection = connect(given);
    const secret = given.text("secret") ?? listenSecretOf(connection.url);
    if (!/^whsec_[A-Za-z0-9+/]+=*$/.test(secret)) throw usageError("--secret must be a whsec_ followed by base64.");
    if (given.flag("print-secret")) {
      await print(secret);
      return undefined;
    }
    const target = targetOf(given.text("forward-to"));
    let left = countOf(given) ?? Number.POSITIVE_INFINITY;
    await withTimeLimit(given, async (signal) => {
      const onReady = (): void => {
        note(`Forwarding events of ${connection.url} to ${target}. Ctrl-C stops.`);
        note(`Signing secret: ${secret}`);
      };
      for await (const event of followEvents(connection, given, { signal, onReady })) {
        const delivery = await deliver(event, { target, secret, signal });
        await print(process.stdout.isTTY ? describe(delivery) : JSON.stringify(delivery));
        if (--left <= 0) return;
      }
    });
    return undefined;
  },
};

function targetOf(typed: string | undefined): string {
  if (typed === undefined) throw usageError("--forward-to is missing.");
  const url = /^[a-z]+:\/\//i.test(typed) ? typed : `http://${typed}`;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw usageError(`--forward-to must be an address such as http://localhost:3000/webhooks, not "${typed}".`);
  return new URL(url).href;
}

function describe({ type, subject, status, durationMs, error }: Awaited<ReturnType<typeof deliver>>): string {
  const outcome = error === undefined ? `${status} in ${durationMs} ms` : error;
  return `${new Date().toTimeString().slice(0, 8)}  ${type.padEnd(24)}  ${subject}  ${outcome}`;
}
