import { useMe } from "./me.ts";

/**
 * The preview from live, and live from the preview. They differ in their port. Undefined where the browser reaches the hub
 * through another port, such as that of a proxy: then the address is not known.
 */
export function useOtherEnvironment(): { environment: "live" | "preview"; url: string } | undefined {
  const { environment, ports } = useMe();
  if (!ports) return undefined;
  const isLive = environment === "live";
  if (location.port !== String(isLive ? ports.live : ports.preview)) return undefined;
  const port = isLive ? ports.preview : ports.live;
  return { environment: isLive ? "preview" : "live", url: `${location.protocol}//${location.hostname}:${port}/` };
}
