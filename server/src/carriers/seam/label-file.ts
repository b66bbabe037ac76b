import type { CarrierCall } from "./carrier.ts";
import { RemoteError } from "./http.ts";
import type { LabelFile } from "./labels.ts";

/** By its first bytes: what carriers say about the type of a file is not always right. Null if it is no label. */
function labelFileOf(content: Buffer): LabelFile | null {
  const start = content.subarray(0, 200).toString("latin1").trimStart();
  if (start.startsWith("%PDF-")) return { contentType: "application/pdf", content };
  if (content.subarray(1, 4).toString("latin1") === "PNG") return { contentType: "image/png", content };
  if (start.startsWith("GIF8")) return { contentType: "image/gif", content };
  if (start.includes("^XA")) return { contentType: "application/zpl", content };
  return null;
}

/** A label as base64, with or without the prefix of a data URL. Null if it is none: the label is paid for all the same. */
export function labelFileOfBase64(text: string | undefined): LabelFile | null {
  if (text === undefined) return null;
  return labelFileOf(Buffer.from(text.replace(/^data:[^,]*,/, ""), "base64"));
}

/**
 * Fetches a label or document. Without `headers` it goes out without credentials: carriers keep files on other hosts. Null if the
 * file cannot be fetched, since the label is paid for all the same.
 */
export async function fetchLabelFile(
  call: CarrierCall,
  url: string | undefined,
  headers?: Record<string, string>,
): Promise<LabelFile | null> {
  if (url === undefined || !URL.canParse(url)) return null;
  try {
    const access = headers === undefined ? { withoutCredentials: true as const } : { headers };
    const response = await call.http.request({ url, signal: call.signal, ...access });
    return response.status === 200 ? labelFileOf(response.bytes) : null;
  } catch (error) {
    if (error instanceof RemoteError) return null;
    throw error;
  }
}
