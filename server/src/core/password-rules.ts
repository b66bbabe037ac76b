import type { HubError } from "./errors.ts";
import { badField } from "./errors.ts";

/** Common passwords without suffixes: case, digits and signs do not make a different one. */
const commonWords = (
  "password passwort passwd pass admin administrator root user guest login welcome letmein secret master access test " +
  "testing demo example sample default temp temporary changeme change hello iloveyou love monkey dragon shadow sunshine " +
  "princess football baseball superman batman pokemon starwars whatever trustno freedom ninja mustang michael jordan " +
  "charlie jessica ashley daniel thomas summer winter spring autumn january february march april june july august " +
  "september october november december monday friday company office business computer internet server system network " +
  "database warehouse logistics shipping order orders operations operator hub mine my the is our new now"
).split(" ");

const rows = [
  "abcdefghijklmnopqrstuvwxyz",
  "01234567890",
  "qwertyuiop",
  "qwertzuiop",
  "asdfghjkl",
  "zxcvbnm",
  "yxcvbnm",
];
const lines = rows.flatMap((row) => [row, Array.from(row).toReversed().join("")]);
const lookAlikes: Record<string, string> = {
  "0": "o",
  "1": "i",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "@": "a",
  $: "s",
};
/** Shorter pieces occur in too many words. */
const shortestPiece = 3;
/** Characters that must remain of a password without its guessable parts; digits and signs count half. */
const enough = 4;

export type PasswordOwner = { email: string; organization?: string };

/** Rejects passwords that an attacker who knows the owner, or a list of common passwords, would try first. */
export function requireStrongPassword(password: string, owner: PasswordOwner, pointer: string): void {
  const problem = passwordProblem(password, owner, pointer);
  if (problem) throw problem;
}

export function passwordProblem(password: string, owner: PasswordOwner, pointer: string): HubError | undefined {
  if (isGuessable(password, commonWords)) {
    const message =
      "This is one of the passwords that are tried first. Several words that do not belong together are better.";
    return badField(pointer, "password_too_common", message);
  }
  if (isGuessable(password, [...piecesOf(owner), ...commonWords])) {
    const message = "The password is made of the e-mail address or the organization's name. Use other words.";
    return badField(pointer, "password_from_account", message);
  }
  return undefined;
}

function isGuessable(password: string, pieces: readonly string[]): boolean {
  const plain = password.normalize("NFKC").toLowerCase();
  const read = Array.from(plain, (sign) => lookAlikes[sign] ?? sign).join("");
  const sorted = pieces.toSorted((one, other) => other.length - one.length);
  return [plain, read].some((text) => weigh(withoutRuns(withoutPieces(text, sorted))) < enough);
}

function withoutPieces(text: string, longestFirst: readonly string[]): string {
  // A removed piece leaves a gap, so that the characters around it do not form a new piece.
  return longestFirst.reduce((rest, piece) => rest.replaceAll(piece, "\n"), text);
}

/** Without runs of three or more neighbors on a keyboard or in the alphabet, and with each repeated part once. */
function withoutRuns(text: string): string {
  let rest = "";
  for (let at = 0; at < text.length;) {
    const length = Math.max(...lines.map((line) => sharedRun(text, at, line)));
    if (length < shortestPiece) rest += text[at];
    at += length < shortestPiece ? 1 : length;
  }
  return rest.replaceAll(/(.{1,6}?)\1+/gsu, "$1");
}

function sharedRun(text: string, at: number, line: string): number {
  const from = line.indexOf(text[at]!);
  if (from === -1) return 0;
  let length = 1;
  while (at + length < text.length && text[at + length] === line[from + length]) length++;
  return length;
}

function weigh(text: string): number {
  const signs = Array.from(text).filter((sign) => !/\s/u.test(sign));
  return signs.reduce((sum, sign) => sum + (/\p{L}/u.test(sign) ? 1 : 0.5), 0);
}

/** Whole names and their parts: `jo.smith@shop.example` gives `jo.smith`, `josmith`, `smith`, `shop` and `example`. */
function piecesOf({ email, organization = "" }: PasswordOwner): string[] {
  const names = [...email.toLowerCase().split("@"), organization.normalize("NFKC").toLowerCase()];
  const parts = names.flatMap((name) => [
    name,
    name.replaceAll(/[^\p{L}\p{N}]/gu, ""),
    ...name.split(/[^\p{L}\p{N}]+/u),
  ]);
  return parts.filter((part) => part.length >= shortestPiece);
}
