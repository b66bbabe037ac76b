import type { AccountProblem } from "../../carriers/seam/carrier.ts";
import { cleanText } from "../../core/strict-json.ts";
import { findErrorsIn } from "../../core/validation.ts";
import type { Ctx } from "../../context.ts";
import { today } from "../organizations/organizations.ts";
import type { AccountTest } from "./carrier-accounts.schemas.ts";
import type { Failure, OpenCarrier } from "./open-carrier.ts";
import { callCarrier, openCarrier, singleCall } from "./open-carrier.ts";
import { findCardOn } from "./tariff-inputs.ts";

/** What is wrong with an account, as far as the hub and the carrier can tell. */
export async function testAccount(ctx: Ctx, accountId: string): Promise<AccountTest> {
  const open = await openCarrier(ctx, accountId);
  const own = await ownProblems(ctx, open);
  // A carrier would only repeat that the key is missing.
  const problems = own.length > 0 ? own : await problemsAtCarrier(ctx, open);
  return { ok: problems.length === 0, problems };
}

async function ownProblems(ctx: Ctx, { account, carrier, credentials }: OpenCarrier): Promise<AccountProblem[]> {
  const keys = findErrorsIn(carrier.credentials, credentials);
  const settings = findErrorsIn(carrier.settings, account.settings);
  const problems: AccountProblem[] = [
    ...keys.map(({ pointer, message }) => ({ part: "key" as const, message: `credentials${pointer}: ${message}` })),
    ...settings.map(({ pointer, message }) => ({
      part: "settings" as const,
      message: `settings${pointer}: ${message}`,
    })),
  ];
  const day = await today(ctx);
  if (carrier.usesRateCards(account.settings) && !(await findCardOn(ctx, account.id, day))) {
    problems.push({ part: "settings", message: `${account.name} has no rate card in effect on ${day}.` });
  }
  return problems;
}

async function problemsAtCarrier(ctx: Ctx, open: OpenCarrier): Promise<AccountProblem[]> {
  const { testAccount: test } = open.carrier;
  if (!test) return [];
  const response = await callCarrier(ctx, open, "testAccount", singleCall(ctx.requestId), (_carrier, call) =>
    test(call),
  );
  // The carrier failed or did not respond: that passes without a change of the account.
  if ("unknown" in response) return [{ part: "address", message: sentences(response.unknown, "Try again later.") }];
  const problems =
    "done" in response ? response.done : [{ part: partOf(response.rejected), message: response.rejected.message }];
  return problems.map((problem) => explained(problem, open.account.settings.baseUrl));
}

/** Says where to correct an address that the account has for itself. */
function explained({ part, message }: AccountProblem, baseUrl: unknown): AccountProblem {
  const words = cleanText(message);
  if (part !== "address" || typeof baseUrl !== "string") return { part, message: words };
  return { part, message: sentences(words, `Check the API address in the settings of the account: ${baseUrl}`) };
}

function sentences(first: string, second: string): string {
  return `${first.replace(/\.?$/, ".")} ${second}`;
}

const parts: Record<string, AccountProblem["part"]> = {
  unauthorized: "key",
  authentication_failed: "key",
  forbidden: "permission",
  address_not_allowed: "address",
  host_not_allowed: "address",
  https_required: "address",
  credentials_for_other_host: "address",
  not_found: "address",
  redirect_not_allowed: "address",
};

function partOf({ code }: Failure): AccountProblem["part"] {
  return parts[code] ?? "settings";
}
