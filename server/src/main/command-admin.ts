import { parseArgs } from "node:util";
import type { Environment } from "../context.ts";
import { change, systemContext } from "../context.ts";
import { HubError } from "../core/errors.ts";
import { addOrganization, findOperatorOrganization } from "../features/organizations/organizations.ts";
import { resumeOutboundByCommand } from "../features/outbound-pause/outbound-pause.ts";
import { hashPassword } from "../core/passwords.ts";
import { createUser } from "../features/users/users.ts";
import { bootstrap, newPassword } from "./bootstrap.ts";
import type { Config } from "./config.ts";
import { ConfigError } from "./config.ts";
import { createHubLog } from "./hub-log.ts";
import { createStartStatus } from "./start-status.ts";
import { withWorlds } from "./with-worlds.ts";

export async function runMigrate(config: Config): Promise<void> {
  const status = createStartStatus();
  const log = createHubLog(config);
  const reporter = (environment: Environment) => status.reporter(environment, log.child({ environment }));
  await withWorlds(config, { mayMigrate: true, reporter }, async (worlds) => {
    for (const { environment } of worlds) console.log(`${environment}: up to date`);
  });
}

/** After a restore, when the hub that was backed up is stopped for good. */
export async function runResumeOutbound(config: Config): Promise<void> {
  await withWorlds(config, { mayMigrate: false }, async (worlds) => {
    for (const world of worlds) {
      const wasPaused = await resumeOutboundByCommand(world);
      console.log(`${world.environment}: ${wasPaused ? "outbound work goes on" : "outbound work was not paused"}`);
    }
  });
}

/** For a new tenant, or when every administrator has lost their password. */
export async function runCreateAdmin(config: Config, args: string[]): Promise<void> {
  const { positionals, values } = parseArgs({
    args,
    allowPositionals: true,
    options: { organization: { type: "string" }, preview: { type: "boolean", default: false } },
  });
  const [email] = positionals;
  if (email === undefined || !/^\S+@\S+$/.test(email))
    throw new ConfigError("Name the e-mail address of the administrator.");
  const password = config.admin.password ?? newPassword();
  await withWorlds(config, { mayMigrate: false }, async (worlds) => {
    const world = worlds.find(({ environment }) => environment === (values.preview ? "preview" : "live"));
    if (!world) throw new ConfigError("There is no preview surface: HUB_PREVIEW_PORT is off.");
    try {
      const operator = await findOperatorOrganization(world);
      if (!operator) await bootstrap(world, { email, password });
      else if (values.organization === undefined) {
        await createUser(systemContext(world, operator.id, "hub create-admin"), { email, role: "admin", password });
      } else {
        const ctx = systemContext(world, "", "hub create-admin");
        const passwordHash = await hashPassword(password, world.settings.passwordCost);
        const request = {
          name: values.organization,
          isHubOperator: false,
          admin: { email, name: email, passwordHash },
        };
        await change(ctx, (tx) => addOrganization(tx, ctx, request));
      }
    } catch (error) {
      if (error instanceof HubError) throw new ConfigError(error.message);
      throw error;
    }
  });
  console.log(
    config.admin.password === undefined
      ? `${email} with the password ${password}`
      : `${email} with the password of HUB_ADMIN_PASSWORD`,
  );
}
