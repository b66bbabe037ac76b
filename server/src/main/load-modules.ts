import { enableCompileCache, registerHooks } from "node:module";
import path from "node:path";

/*
 * Before anything else is loaded: what makes loading seven hundred modules short. For processes of the hub; whatever else
 * loads them does without.
 */

// Caches compiled code between starts. Beside the sources, where only users who can change the hub's code can write; any user
// could write to the shared folder for temporary files.
enableCompileCache(path.join(import.meta.dirname, "../../../node_modules/.cache/order-operations-hub"));

const ourModules = new URL("../", import.meta.url).href;

// Ours name each other by their files. To look for each, and for what kind it is of in all folders above it, is a third of the time.
registerHooks({
  resolve(specifier, context, next) {
    const isOurs = specifier.startsWith(".") && specifier.endsWith(".ts") && context.parentURL?.startsWith(ourModules);
    if (!isOurs) return next(specifier, context);
    return { url: new URL(specifier, context.parentURL).href, format: "module-typescript", shortCircuit: true };
  },
});
