export const mailSecurities = ["tls", "starttls", "none"] as const;
export type MailSecurity = (typeof mailSecurities)[number];

/** A server that takes mails by SMTP. */
export type MailServer = {
  host: string;
  port: number;
  /** `tls` from the first byte, or required after STARTTLS. With `none` no password is sent. */
  security: MailSecurity;
  login?: { username: string; password: string } | undefined;
  /** The sender of all mails. */
  from: string;
};

export function defaultMailPort(security: MailSecurity): number {
  return { tls: 465, starttls: 587, none: 25 }[security];
}

/** smtps://user:password@host:465, smtp://host:587 with STARTTLS, or smtp://host:25?security=none. A text is the mistake, without secrets. */
export function parseMailUrl(text: string): Omit<MailServer, "from"> | string {
  const url = URL.parse(text);
  if (!url || !["smtp:", "smtps:"].includes(url.protocol) || url.hostname === "")
    return "must be a URL such as smtps://user:password@mail.example.com:465 or smtp://mail.example.com:587";
  const asked = url.searchParams.get("security");
  if ([...url.searchParams.keys()].some((name) => name !== "security") || !["", "/"].includes(url.pathname))
    return "takes no path and no parameter other than security=none";
  if (asked !== null && (asked !== "none" || url.protocol === "smtps:"))
    return "takes security=none with smtp:// only; without it STARTTLS is required";
  const security = url.protocol === "smtps:" ? "tls" : asked === "none" ? "none" : "starttls";
  const [username, password] = [url.username, url.password].map(decoded);
  if (username === undefined || password === undefined) return "has a % that is not followed by two hexadecimal digits";
  if ((username === "") !== (password === "")) return "needs both a user name and a password, or neither";
  if (security === "none" && username !== "") return "must not send a password without TLS";
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: url.port === "" ? defaultMailPort(security) : Number(url.port),
    security,
    ...(username === "" ? {} : { login: { username, password } }),
  };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
