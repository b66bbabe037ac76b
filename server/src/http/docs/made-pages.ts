import path from "node:path";
import type { ErrorCode } from "../../core/errors.ts";
import { errorTable, isRetryable } from "../../core/errors.ts";
import type { EventDefinition } from "../../events/define-event.ts";
import type { EventType } from "../../events/event-catalogue.ts";
import { eventCatalogue } from "../../events/event-catalogue.ts";
import { exampleOf } from "../../events/event-examples.ts";
import { eventTypes, scopeOfEvent } from "../../events/event-families.ts";
import { adviceFor } from "./error-advice.ts";

/** A document in Markdown. `address` is that of its page; `file` is its path in the repository, without an ending if it is made from a table. */
export type DocsSource = { address: string; file: string; title: string; text: string };

const page = (place: string, title: string, parts: string[]): DocsSource => ({
  address: `/${place}`,
  file: place,
  title,
  text: `${parts.join("\n\n")}\n`,
});

export function decisionsPage(sources: readonly DocsSource[]): DocsSource {
  const decisions = sources.filter(({ file }) => file.startsWith("docs/decisions/"));
  const lines = decisions.map(({ file, title }) => {
    const name = path.basename(file);
    return `- [${name.slice(0, 4)}](decisions/${name}): ${title.replace(/^\d+[.:]? */, "")}`;
  });
  const intro = "Decisions that are hard to reverse: context, decision, consequences, and when to look at them again.";
  return page("docs/decisions", "Decisions", ["# Decisions", intro, lines.join("\n")]);
}

/** `type` of every problem is the address of such a page. */
export function errorPages(): DocsSource[] {
  return (Object.keys(errorTable) as ErrorCode[]).map((code) => {
    const [status, title] = errorTable[code];
    const { cause, fix } = adviceFor(code);
    const again = isRetryable(code) ? "Yes, after the time in `Retry-After`" : "No, not without a change";
    return page(`docs/errors/${code}`, code, [
      `# \`${code}\``,
      `${title}.`,
      `| Status | The same request may succeed later |\n|---|---|\n| ${status} | ${again} |`,
      `## Cause\n\n${cause}`,
      `## Fix\n\n${fix}`,
      "All codes are in [Errors](/docs/errors). `detail` of the response says what it was in your case, `errors` which fields were wrong, and " +
        "`X-Request-Id` finds the request in the log of the hub.",
    ]);
  });
}

export function eventPages(): DocsSource[] {
  return eventTypes.map((type: EventType) => {
    const { summary, objectType }: EventDefinition = eventCatalogue[type];
    return page(`docs/events/${type}`, type, [
      `# \`${type}\``,
      `${summary}.`,
      `| Object | Scope, besides \`events:read\` |\n|---|---|\n| \`${objectType}\` | \`${scopeOfEvent(type)}\` |`,
      `## Example\n\n\`\`\`json\n${JSON.stringify(exampleOf(type), null, 2)}\n\`\`\``,
      "The feed, streams and webhooks send it like this; [Events: feed and streams](/docs/event-feed) explains the fields around `data`. " +
        "All types are in [Events](/docs/events), with their JSON Schemas in `GET /events/types`.",
    ]);
  });
}
