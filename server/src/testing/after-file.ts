const undone: (() => unknown)[] = [];

/**
 * Registers a cleanup that runs after the test file. Test files share a process and its modules, so that leftovers of one would
 * affect the next. Helpers cannot call `afterAll` when they load, since they load once for many files.
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
  if (failures.length > 0) throw new AggregateError(failures, "cleaning up after the test file failed");
}
