import type { Ctx } from "../../context.ts";
import { Live } from "../../route.ts";
import { preparePreflight } from "./preflight.ts";
import type { PreflightBody } from "./preflight.schemas.ts";

const intervalMs = 250;
const keepAliveMs = 15_000;

/** Invalid requests are rejected before the stream starts. It ends with the report, or without one if the preflight fails. */
export async function streamPreflight(ctx: Ctx, body: PreflightBody): Promise<Live> {
  const { execute, progress } = await preparePreflight(ctx, body);
  return new Live(async (reader) => {
    let sent = "";
    let sentAt = 0;
    const show = (): void => {
      const text = reader.toText(present(progress(), null));
      const now = performance.now();
      if (text === sent && now - sentAt < keepAliveMs) return;
      reader.push(text === sent ? ":\n\n" : `data: ${text}\n\n`);
      [sent, sentAt] = [text, now];
    };
    show();
    const timer = setInterval(show, intervalMs);
    try {
      const report = await execute(reader.ended);
      // A report may be longer than what a slow client is allowed to leave unread.
      await reader.send(`event: end\ndata: ${reader.toText(present(progress(), report))}\n\n`);
    } finally {
      clearInterval(timer);
    }
  });
}

type Progress = ReturnType<Awaited<ReturnType<typeof preparePreflight>>["progress"]>;

function present({ prices, ...counts }: Progress, report: object | null) {
  return {
    ...counts,
    prices: prices.map(({ accountId, name, ...parcels }) => ({
      carrier_account_id: accountId,
      carrier_account: name,
      ...parcels,
    })),
    report,
  };
}
