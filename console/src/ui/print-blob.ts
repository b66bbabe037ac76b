import { downloadBlob } from "./download-text.ts";

/** What became of a file: the browser's print dialog, or its downloads. */
export type Printed = "dialog" | "file";

/** Whether the browser can show a PDF in a page, and so print one. Most tablets cannot. */
export const canPrint = (file: Blob): boolean => file.type === "application/pdf" && navigator.pdfViewerEnabled;

/**
 * Opens the browser's print dialog for a PDF; in kiosk printing mode the browser prints at once. Any other file is downloaded, as is
 * a PDF where the browser cannot print one.
 */
export async function printBlob(name: string, file: Blob): Promise<Printed> {
  if (canPrint(file) && (await openPrintDialog(file))) return "dialog";
  downloadBlob(name, file);
  return "file";
}

/** False if the browser refuses to print a frame. */
async function openPrintDialog(file: Blob): Promise<boolean> {
  const focused = document.activeElement;
  const url = URL.createObjectURL(file);
  const frame = document.createElement("iframe");
  // Invisible but laid out: browsers print nothing from a frame with `display: none`.
  frame.className = "pointer-events-none invisible fixed size-0";
  frame.ariaHidden = "true";
  frame.tabIndex = -1;
  frame.src = url;
  removeLast();
  removeLast = () => {
    frame.remove();
    URL.revokeObjectURL(url);
  };
  const loaded = new Promise((resolve) => frame.addEventListener("load", resolve, { once: true }));
  document.body.append(frame);
  await loaded;
  try {
    frame.contentWindow!.print();
    return true;
  } catch {
    return false;
  } finally {
    // The viewer takes the focus, and with it the keys of a scanner.
    if (focused instanceof HTMLElement) focused.focus();
  }
}

/** Browsers do not tell when the dialog of a PDF is closed, so its frame stays until the next one. */
let removeLast = (): void => {};
