import type { FieldError } from "../../core/errors.ts";
import type { MailServer } from "../../core/mail-server.ts";
import { defaultMailPort, mailSecurities } from "../../core/mail-server.ts";
import { RemoteError } from "../../core/remote-error.ts";
import { Email, linePattern, OneOf, Strict } from "../../core/schema.ts";
import { Type } from "../../core/type.ts";
import type { Static } from "typebox";
import type { Call, CallTask, Connector, Limits, Settings } from "../connector.ts";
import { connectionTest } from "../standard-tasks.ts";
import { urlProblems } from "../url-settings.ts";
import { composeMail, messageIdOf } from "./compose-mail.ts";
import { deliver, testLogin } from "./smtp-session.ts";

const maxRecipients = 20;

const Address = (title: string, description: string) => ({ ...Email, title, description });
const LineOf = (title: string, maxLength: number, description: string) =>
  Type.String({ title, minLength: 1, maxLength, pattern: linePattern, description });

const Settings = Strict(
  {
    host: Type.Optional(
      Type.String({
        title: "Mail server",
        pattern: "^[A-Za-z0-9]([A-Za-z0-9.:-]{0,251}[A-Za-z0-9])?$",
        description: "Host name of the SMTP server. Default: the mail server of the hub, if it has one",
        examples: ["smtp.example.com"],
      }),
    ),
    security: Type.Optional(
      OneOf(mailSecurities, {
        title: "Encryption",
        description:
          "tls: from the first byte. starttls: required after the greeting. none: without a password only. Default: starttls",
      }),
    ),
    port: Type.Optional(
      Type.Integer({
        title: "Port",
        "x-advanced": true,
        minimum: 1,
        maximum: 65_535,
        description: "Default: 465 with tls, 587 with starttls, 25 with none",
      }),
    ),
    from: Type.Optional(
      Address("Sender", "Address that mails come from. With the mail server of the hub, its sender is used"),
    ),
    fromName: Type.Optional(LineOf("Name of the sender", 100, "Shown by mail programs, such as the name of the shop")),
    replyTo: Type.Optional(Address("Reply to", "Where answers go. Default: the sender")),
  },
  { examples: [{ host: "smtp.example.com", from: "orders@example.com", fromName: "Example Shop" }] },
);
type SmtpSettings = Static<typeof Settings>;

const Mail = Strict(
  {
    to: Type.Array(Email, { title: "To", minItems: 1, maxItems: maxRecipients, uniqueItems: true }),
    subject: LineOf("Subject", 500, "One line"),
    text: Type.String({ title: "Text", minLength: 1, maxLength: 50_000, pattern: "\\S" }),
    html: Type.Optional(
      Type.String({
        title: "HTML",
        minLength: 1,
        maxLength: 100_000,
        description: "Shown in place of the text by programs that can. It is sent as it is",
      }),
    ),
    replyTo: Type.Optional(Address("Reply to", "Default: as in the settings of the bridge")),
  },
  { examples: [{ to: ["ada@example.com"], subject: "Order SO-1001", text: "Your order is on its way." }] },
);
type Mail = Static<typeof Mail>;

/** The settings of the bridge, or the mail server of the hub. */
function serverOf({
  settings,
  credentials,
  mailServer,
}: Pick<Call, "settings" | "credentials" | "mailServer">): MailServer {
  const { host, security = "starttls", port = defaultMailPort(security), from } = settings as SmtpSettings;
  if (host === undefined) {
    if (mailServer) return mailServer;
    throw new RemoteError("no_mail_server", "Neither the bridge nor the hub has a mail server.");
  }
  const { username, password } = credentials as { username?: string; password?: string };
  const login = username === undefined || password === undefined ? undefined : { username, password };
  if (login && security === "none") throw new RemoteError("tls_required", passwordNeedsTls);
  return { host, port, security, from: from!, ...(login && { login }) };
}

const passwordNeedsTls = "A password is sent with tls or starttls only.";

async function addressFor(call: Call, { host }: MailServer): Promise<string> {
  return await call.addressOf(host, { isOperators: call.settings.host === undefined });
}

async function send(call: Call): Promise<Record<string, unknown>> {
  const mail = call.input as Mail;
  const recipients = mail.to.length;
  if (call.isPreview) {
    call.log("info", "In the preview no mail is sent. The input of this execution is the mail.");
    return { sent: false, reason: "preview", recipients };
  }
  const server = serverOf(call);
  const messageId = messageIdOf(call.effectKey, server.from);
  const { fromName = "", replyTo } = call.settings as SmtpSettings;
  const from = { name: fromName, address: server.from };
  const message = await composeMail({ replyTo, ...mail, from, messageId, date: call.now() });
  const envelope = { from: server.from, to: mail.to };
  const { rejected, response } = await deliver(server, await addressFor(call, server), {
    envelope,
    message,
    signal: call.signal,
  });
  if (rejected.length > 0) {
    // Sent again, it would reach the others twice.
    const message = `The mail was sent, except to ${rejected.join(", ")}, which the mail server refused.`;
    throw new RemoteError("recipients_rejected", message);
  }
  return { sent: true, recipients, messageId, response };
}

const sendMail: CallTask = {
  name: "mail.send",
  title: "Send e-mail",
  description:
    "Sends one mail. A server that defers it is asked again later; if the connection breaks while the mail is being sent, the " +
    "outcome is unknown and it is not sent again. In the preview it is recorded and not sent.",
  mode: "call",
  input: Mail,
  output: Type.Object({}, { description: "Whether it was sent, its Message-ID and the response of the server" }),
  idempotent: false,
  timeoutMs: 120_000,
  run: send,
};

const loginTest = connectionTest(async (call) => {
  const server = serverOf(call);
  const { host, from } = server;
  if (call.isPreview) return { sends: false, reason: "preview" };
  await testLogin(server, await addressFor(call, server), call.signal);
  return { host, from };
});

function check(settings: Settings, limits: Limits): FieldError[] {
  const { host, security, port, from } = settings as SmtpSettings;
  const fail = (name: string, code: string, message: string): FieldError[] => [{ pointer: `/${name}`, code, message }];
  if (host !== undefined) {
    const missing = from === undefined ? fail("from", "required", "Required with a mail server of your own.") : [];
    return [...urlProblems("/host", `https://${inUrl(host)}`, limits), ...missing];
  }
  if (!limits.mailServer) return fail("host", "required", "This hub has no mail server of its own: enter yours.");
  const own = Object.entries({ security, port, from }).find(([, value]) => value !== undefined);
  return own ? fail(own[0], "not_allowed", "Allowed with a mail server of your own only.") : [];
}

function inUrl(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

export const smtp: Connector = {
  name: "smtp",
  title: "E-mail",
  description: "Sends e-mail through an SMTP server, for the actions send_email and notify.",
  settings: Settings,
  credentials: Strict(
    {
      username: Type.Optional(
        Type.String({ title: "User name", minLength: 1, maxLength: 254, description: "At the mail server" }),
      ),
      password: Type.Optional(
        Type.String({
          title: "Password",
          "x-widget": "password",
          minLength: 1,
          maxLength: 500,
          description: "Of that user; some providers call it an app password",
        }),
      ),
    },
    { examples: [{ username: "orders@example.com", password: "..." }] },
  ),
  check,
  checkCredentials({ username, password }, { host, security }) {
    if (username === undefined || password === undefined) {
      const pointer = username === undefined ? "/username" : "/password";
      return [{ pointer, code: "required", message: "Give both a user name and a password." }];
    }
    if (host === undefined)
      return [
        { pointer: "", code: "not_allowed", message: "The mail server of the hub takes no credentials of yours." },
      ];
    return security === "none" ? [{ pointer: "", code: "tls_required", message: passwordNeedsTls }] : [];
  },
  tasks: () => [loginTest, sendMail],
  site: ["host"],
  // As https: only such URLs have an origin to compare.
  sendsTo(settings) {
    const { host, security = "starttls", port = defaultMailPort(security) } = settings as SmtpSettings;
    return host === undefined ? [] : [{ at: "/host", url: `https://${inUrl(host)}:${port}` }];
  },
  concurrency: 4,
  isSafeInPreview: true,
};
