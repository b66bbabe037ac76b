import { isIP } from "node:net";
import { Readable } from "node:stream";
import SmtpConnection from "nodemailer/lib/smtp-connection";
import { cutText } from "../../core/cut-text.ts";
import type { MailServer } from "../../core/mail-server.ts";
import { RemoteError, remoteMeanings } from "../../core/remote-error.ts";

type Envelope = { from: string; to: string[] };
type Delivery = { rejected: string[]; response: string };

/** A server that is silent for this long is given up. All of them together stay below the time limit of the task. */
const timeouts = { connectionTimeout: 10_000, greetingTimeout: 15_000, socketTimeout: 45_000 };
/** Servers that defer unknown senders (greylisting) accept them after some minutes. */
const deferredMs = 5 * 60_000;

type Session = {
  connection: SmtpConnection;
  /** Waits for one command. Rejects also when the connection fails or the attempt is aborted. */
  step(start: (done: (error?: Error | null) => void) => void): Promise<void>;
};

/** Connects and signs in, without a mail. `address` is the checked IP address of the host. */
export async function testLogin(server: MailServer, address: string, signal: AbortSignal): Promise<void> {
  try {
    await withSession(server, address, signal, () => Promise.resolve());
  } catch (error) {
    throw explain(error, server.host, false);
  }
}

/**
 * Sends one message. A failure after the first byte of the message `mayHaveHappened`, unless the server has answered: the server
 * may have taken the mail although its answer was lost.
 */
export async function deliver(
  server: MailServer,
  address: string,
  { envelope, message, signal }: { envelope: Envelope; message: Buffer; signal: AbortSignal },
): Promise<Delivery> {
  let hasStarted = false;
  // Read only after the server has accepted sender, recipients and the command DATA.
  function* parts(): Generator<Buffer> {
    hasStarted = true;
    yield message;
  }
  let delivery: Delivery = { rejected: [], response: "" };
  try {
    await withSession(server, address, signal, ({ connection, step }) =>
      step((done) =>
        connection.send({ ...envelope, size: message.length }, Readable.from(parts()), (error, sent) => {
          if (!error) delivery = { rejected: sent.rejected, response: sent.response };
          done(error);
        }),
      ),
    );
  } catch (error) {
    throw explain(error, server.host, hasStarted);
  }
  return delivery;
}

async function withSession(
  { host, port, security, login }: MailServer,
  address: string,
  signal: AbortSignal,
  use: (session: Session) => Promise<void>,
): Promise<void> {
  signal.throwIfAborted();
  const connection = new SmtpConnection({
    ...timeouts,
    // Not the name, which could resolve to another address than the one that was checked.
    host: address,
    port,
    secure: security === "tls",
    requireTLS: security === "starttls",
    ignoreTLS: security === "none",
    ...(isIP(host) === 0 ? { servername: host } : {}),
  });
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  connection.on("error", failed.reject);
  connection.once("end", () => failed.reject(new Error("Connection closed")));
  const onAbort = (): void => failed.reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  const step: Session["step"] = (start) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    start((error) => (error ? reject(error) : resolve()));
    return Promise.race([promise, failed.promise]);
  };
  try {
    await step((done) => connection.connect(done));
    if (login) await step((done) => connection.login({ user: login.username, pass: login.password }, done));
    await use({ connection, step });
    connection.quit();
  } catch (error) {
    connection.close();
    throw error;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** The failure in words that its user can act on. With a response of the server, the outcome is certain. */
function explain(error: unknown, host: string, hasStarted: boolean): unknown {
  if (!(error instanceof Error) || error instanceof RemoteError) return error;
  const { code = "", responseCode, response = "", permanent, originalCode }: Error & SmtpFailure = error;
  if (code === "ETLS" || /^(ERR_(SSL|TLS)|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(originalCode ?? "")) {
    const message = `No secure connection to ${host}: ${error.message}`;
    return new RemoteError("tls_failed", message, { cause: error });
  }
  if (responseCode !== undefined) {
    const said = cutText(response.replaceAll(/\s+/g, " "), 300);
    if (permanent === false) {
      const message = `${remoteMeanings.deferred} (${said})`;
      return new RemoteError("deferred", message, { retryable: true, retryAfterMs: deferredMs, cause: error });
    }
    const meaning = code === "EAUTH" ? "unauthorized" : "rejected";
    return new RemoteError(meaning, `${remoteMeanings[meaning]} (${said})`, { cause: error });
  }
  if (code === "EAUTH") return new RemoteError("unauthorized", remoteMeanings.unauthorized, { cause: error });
  if (code === "EENVELOPE")
    return new RemoteError("rejected", `The mail server cannot take the addresses: ${error.message}`);
  const why = originalCode ?? code;
  const message = `The connection to ${host} broke (${why === "" ? error.name : why}).`;
  return new RemoteError("connection_lost", message, { retryable: true, mayHaveHappened: hasStarted, cause: error });
}

/** What the library adds to errors. */
type SmtpFailure = {
  code?: string;
  responseCode?: number;
  response?: string;
  /** The server refuses this mail for good. */
  permanent?: boolean;
  originalCode?: string;
};
