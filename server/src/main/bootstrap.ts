import { randomBytes } from "node:crypto";
import type { World } from "../context.ts";
import { change, systemContext } from "../context.ts";
import { violatedConstraint } from "../db/database.ts";
import { addFirstCarrierAccount } from "../features/carrier-accounts/carrier-accounts.ts";
import { addDemoBridge } from "../features/bridges/bridges.ts";
import { addOrganization, findOperatorOrganization } from "../features/organizations/organizations.ts";
import { hashPassword } from "../core/passwords.ts";
import type { Config } from "./config.ts";

export type FirstAdmin = { email: string; password: string; isGenerated: boolean };

export function newPassword(): string {
  return randomBytes(12).toString("base64url");
}

/** The organization that runs the hub and its administrator; undefined when they exist already. */
export async function bootstrap(world: World, admin: Config["admin"]): Promise<FirstAdmin | undefined> {
  if (await findOperatorOrganization(world)) return undefined;
  const password = admin.password ?? newPassword();
  const passwordHash = await hashPassword(password, world.settings.passwordCost);
  const ctx = systemContext(world, "", "first start");
  try {
    await change(ctx, async (tx) => {
      const organization = await addOrganization(tx, ctx, {
        name: "My organization",
        isHubOperator: true,
        admin: { email: admin.email, name: "Administrator", passwordHash },
      });
      const own = { ...ctx, orgId: organization.id };
      await addDemoBridge(tx, own);
      await addFirstCarrierAccount(tx, own);
      return organization;
    });
  } catch (error) {
    // Another hub that starts on the same database was first.
    if (violatedConstraint(error) === "organizations_one_operator") return undefined;
    throw error;
  }
  return { email: admin.email, password, isGenerated: admin.password === undefined };
}
