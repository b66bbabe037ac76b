import { useEffect } from "react";
import type { IconName } from "./icons.tsx";
import { useLatest } from "./use-latest.ts";

/** An action that the palette offers while the component that registers it is shown. */
export type Command = {
  /** Heading in the palette, such as "6 selected orders". */
  group: string;
  name: string;
  note?: string;
  icon?: IconName;
  keys?: string;
  /** Never chosen in advance: Enter must not cancel orders. */
  isDestructive?: boolean;
  run(): void;
};

const active = new Map<symbol, readonly Command[]>();

/** Read when the palette opens. */
export const currentCommands = (): Command[] => [...active.values()].flat();

export function useCommands(commands: readonly Command[]): void {
  const latest = useLatest(commands);
  const signature = commands.map(({ group, name }) => `${group} ${name}`).join("|");
  useEffect(() => {
    const id = Symbol("commands");
    active.set(
      id,
      latest.current.map((command, at) => ({ ...command, run: () => latest.current[at]?.run() })),
    );
    return () => void active.delete(id);
    // Actions are read when they run; only a change of the names registers again.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [signature]);
}
