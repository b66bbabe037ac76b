import type { InvoiceOutcome, InvoiceSource } from "../../../connectors/connector.ts";
import { change } from "../../../context.ts";
import { HubError } from "../../../core/errors.ts";
import { RemoteError } from "../../../core/remote-error.ts";
import { cleanText } from "../../../core/strict-json.ts";
import { importInvoices } from "../../invoices/invoices.ts";
import type { AttemptWork } from "./attempt.ts";
import type { Rejected } from "./pulled-records.ts";
import { noteRejected } from "./rejected-records.ts";

const maxErrors = 20;
/** Wrong in the input of the task, not in a file. */
const ofTask: readonly string[] = ["/preset", "/carrierAccountId"];

/** Imports the invoices of a file. Its name identifies the exception of a refused file. */
export async function takeInvoiceFile(
  work: Pick<AttemptWork, "ctx" | "execution" | "bridge">,
  { name, open, options }: InvoiceSource,
): Promise<InvoiceOutcome> {
  const { ctx } = work;
  const externalId = cleanText(name);
  try {
    const { invoices } = await importInvoices(ctx, {}, { ...options, csv: open });
    await change(ctx, (tx) => noteRejected(tx, work, [{ externalId, raw: {}, canonical: {} }], []));
    return { invoices };
  } catch (error) {
    const rejected = { externalId, ...toRejection(error) };
    await change(ctx, (tx) => noteRejected(tx, work, [], [rejected]));
    const { code, message } = rejected;
    return { refused: { code, message } };
  }
}

/** Rethrows what is not about the file. */
function toRejection(error: unknown): Omit<Rejected, "externalId"> {
  if (error instanceof RemoteError) return { code: error.code, message: error.message };
  if (!(error instanceof HubError)) throw error;
  const { errors = [] } = error.details;
  const [first] = errors;
  if (first && ofTask.includes(first.pointer)) throw new RemoteError("invalid_input", first.message);
  return {
    code: first?.code ?? error.code,
    message: first?.message ?? error.message,
    ...(errors.length > 0 && { errors: errors.slice(0, maxErrors) }),
  };
}
