import type { MailServer } from "../core/mail-server.ts";
import type { StandInMailServer } from "./stand-in-mail-server.ts";

/** Helpers for tests of the hub's own mails. */
export function buildFor(server: () => StandInMailServer) {
  return {
    tokenIn: (url: string): string => url.slice(url.indexOf("#") + 1),
    mailServerAt: (): MailServer => ({
      host: "127.0.0.1",
      port: server().port,
      security: "none",
      from: "hub@example.com",
    }),
    mailsTo: (email: string) =>
      server()
        .received.filter(({ to }) => to.includes(email))
        .map((mail) => ({ ...mail, text: mail.raw.replaceAll("=\r\n", "").replaceAll("=3D", "=") })),
  };
}
