import type { HttpResponse } from "./http.ts";

/** A part of a multipart response. Contents are text: carriers send files in it as base64. */
export type Part = { name: string; contentType: string; content: string };

/** The parts of a multipart response; undefined if it is none. */
export function readParts({ headers, text }: Pick<HttpResponse, "headers" | "text">): Part[] | undefined {
  const declared = /boundary="?([^";]+)"?/i.exec(headers["content-type"] ?? "")?.[1];
  const boundary = declared ?? /^\s*--(\S+)\r?\n/.exec(text)?.[1];
  if (boundary === undefined || !text.includes(`--${boundary}`)) return undefined;
  return text
    .split(`--${boundary}`)
    .slice(1)
    .filter((part) => !part.startsWith("--"))
    .map(readPart);
}

function readPart(part: string): Part {
  const [head = "", ...rest] = part.replace(/^\r?\n/, "").split(/\r?\n\r?\n/);
  const header = (name: string): string => new RegExp(`^${name}:\\s*(.*)$`, "im").exec(head)?.[1]?.trim() ?? "";
  return {
    name: /\bname="?([^";]*)"?/.exec(header("content-disposition").replace(/filename="[^"]*"/, ""))?.[1] ?? "",
    contentType: header("content-type").toLowerCase(),
    content: rest.join("\n\n").trim(),
  };
}
