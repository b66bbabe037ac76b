import { Tag } from "./badge.tsx";

/** Says that a connector, carrier or action comes from a plug-in, and from which. Nothing for those of the hub itself. */
export function PluginMark({ plugin }: { plugin: { name: string; version: string } | null }) {
  return plugin && <Tag>{`Plug-in ${plugin.name} ${plugin.version}`}</Tag>;
}
