/** Which state may follow which. The table is the specification: guards and tests read it. */
export type Moves<State extends string> = Readonly<Record<State, readonly State[]>>;

export function canMove<State extends string>(moves: Moves<State>, from: State, to: State): boolean {
  return moves[from].includes(to);
}

/** All states from which `to` can be reached in one move. */
export function statesBefore<State extends string>(moves: Moves<State>, to: State): State[] {
  return (Object.keys(moves) as State[]).filter((from) => moves[from].includes(to));
}
