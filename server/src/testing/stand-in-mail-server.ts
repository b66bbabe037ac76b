import type { Socket } from "node:net";
import type { SMTPServerOptions } from "smtp-server";
import { SMTPServer } from "smtp-server";
import { mailCertificate } from "./mail-certificate.ts";

export type ReceivedMail = {
  from: string;
  to: string[];
  /** Header and body as they were sent. */
  raw: string;
  isEncrypted: boolean;
  user: string | undefined;
};

/**
 * | Fault            | What the server does with the next mails                    |
 * | ---------------- | ----------------------------------------------------------- |
 * | `code`           | answers the command `at` with this code and text            |
 * | `cut_after_data` | takes the mail and closes the connection without an answer  |
 * | `cut_at_greeting`| closes each connection before it says anything              |
 */
type MailFault =
  | { kind: "code"; at: "MAIL" | "RCPT" | "DATA"; code: number; text: string; address?: string; times: number }
  | { kind: "cut_after_data"; times: number }
  | { kind: "cut_at_greeting"; times: number };

export type StandInMailServer = {
  port: number;
  received: ReceivedMail[];
  inject(fault: MailFault): void;
  close(): Promise<void>;
};

export const mailUser = { username: "orders@example.com", password: "a long mail password" };

/** For tests: a real SMTP server on loopback. It demands the password of `mailUser`, unless `authOptional` is set. */
export async function startMailServer(options: SMTPServerOptions = {}): Promise<StandInMailServer> {
  const received: ReceivedMail[] = [];
  let faults: MailFault[] = [];
  const sockets = new Set<Socket>();

  function take<Kind extends MailFault["kind"]>(
    kind: Kind,
    isMeant: (fault: Extract<MailFault, { kind: Kind }>) => boolean = () => true,
  ): Extract<MailFault, { kind: Kind }> | undefined {
    const found = faults.find(
      (fault): fault is Extract<MailFault, { kind: Kind }> =>
        fault.kind === kind && isMeant(fault as Extract<MailFault, { kind: Kind }>),
    );
    if (found && --found.times <= 0) faults = faults.filter((fault) => fault !== found);
    return found;
  }

  function refusalAt(command: "MAIL" | "RCPT" | "DATA", address?: string): Error | undefined {
    const fault = take(
      "code",
      ({ at, address: meant }) => at === command && (meant === undefined || meant === address),
    );
    return fault && Object.assign(new Error(fault.text), { responseCode: fault.code });
  }

  const server = new SMTPServer({
    ...mailCertificate,
    disableReverseLookup: true,
    authMethods: ["PLAIN", "LOGIN"],
    onConnect(_session, callback) {
      if (take("cut_at_greeting")) for (const socket of sockets) socket.destroy();
      callback();
    },
    onAuth({ username, password }, _session, callback) {
      const isRight = username === mailUser.username && password === mailUser.password;
      callback(isRight ? null : Object.assign(new Error("5.7.8 wrong password"), { responseCode: 535 }), {
        user: isRight ? username : undefined,
      });
    },
    onMailFrom: ({ address }, _session, callback) => callback(refusalAt("MAIL", address)),
    onRcptTo: ({ address }, _session, callback) => callback(refusalAt("RCPT", address)),
    onData(stream, { envelope, secure, user }, callback) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => void chunks.push(chunk));
      stream.on("end", () => {
        const refusal = refusalAt("DATA");
        if (refusal) return callback(refusal);
        const { mailFrom, rcptTo } = envelope;
        received.push({
          from: mailFrom === false ? "" : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          raw: Buffer.concat(chunks).toString("utf8"),
          isEncrypted: secure,
          user: user as string | undefined,
        });
        if (take("cut_after_data")) for (const socket of sockets) socket.destroy();
        else callback(null, "queued");
      });
    },
    ...options,
  });
  server.on("error", () => {});
  const listening = Promise.withResolvers<void>();
  const listener = server.listen(0, "127.0.0.1", listening.resolve);
  listener.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await listening.promise;
  const { port } = listener.address() as { port: number };
  return {
    port,
    received,
    inject: (fault) => void faults.push({ ...fault }),
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
