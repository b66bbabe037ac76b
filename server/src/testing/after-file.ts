const undone: (() => unknown)[] = [];

/**
 * Takes back, after the test file, what a helper did. Files share a process and its modules: what one leaves behind,
 * the next would find. Helpers cannot call `afterAll` as they load, since they load once for many files.
 */
export function afterFile(undo: () => unknown): void {
  undone.push(undo);
}

export async function undoAll(): Promise<void> {
  const failures: unknown[] = [];
  for (const undo of undone.splice(0).toReversed()) {
    try {
      await undo();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, "something of this file could not be taken back");
}
