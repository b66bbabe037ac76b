import MailComposer from "nodemailer/lib/mail-composer";

export type MailParts = {
  from: { name: string; address: string };
  to: readonly string[];
  replyTo?: string | undefined;
  subject: string;
  text: string;
  html?: string | undefined;
  messageId: string;
  date: Date;
};

/** A message as it is sent. Addresses are objects, because the library would read several out of a text with commas. */
export async function composeMail({ from, to, replyTo, subject, text, html, ...rest }: MailParts): Promise<Buffer> {
  const composer = new MailComposer({
    ...rest,
    from,
    to: to.map((address) => ({ name: "", address })),
    ...(replyTo === undefined ? {} : { replyTo: { name: "", address: replyTo } }),
    subject,
    text,
    ...(html === undefined ? {} : { html }),
    // Programs that answer mails while their owner is away leave such mails alone.
    headers: { "Auto-Submitted": "auto-generated" },
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return await composer.compile().build();
}

/** The mail server knows by it that a mail which is sent again is the same one. */
export function messageIdOf(id: string, from: string): string {
  return `<${id}@${from.slice(from.lastIndexOf("@") + 1)}>`;
}
