import { registerHooks } from "node:module";

const packageName = "@order-operations-hub/plugin";
const repository = new URL("../../../../", import.meta.url);
const hubFolder = new URL("server/", repository).href;
const packageFolder = new URL("plugin/", repository).href;
const packageSource = new URL("src/plugin.ts", packageFolder).href;

const isHubs = (url: string): boolean => url.startsWith(hubFolder) || url.startsWith(packageFolder);

/**
 * Plug-ins get the hub's own copy of the plug-in package, so that a RemoteError of theirs is one of the hub's. They cannot import other
 * modules of the hub: these change with every version. This keeps plug-ins working after an upgrade; it is no protection against
 * malicious ones, which run with all rights of the hub.
 */
export function restrictPluginImports(): void {
  registerHooks({
    resolve(specifier, context, next) {
      const { parentURL } = context;
      if (parentURL === undefined || isHubs(parentURL)) return next(specifier, context);
      if (specifier === packageName) {
        return { url: packageSource, format: "module-typescript", shortCircuit: true };
      }
      const found = next(specifier, context);
      if (!found.url.startsWith(hubFolder)) return found;
      throw new Error(
        `${parentURL} imports ${specifier}, an internal module of the hub. Plug-ins import ${packageName} instead.`,
      );
    },
  });
}
