import type { Queryable } from "../db/database.ts";

/** Loops that are in step wake up within so long of each other. */
const gatherMs = 10;

type Look = { conditions: readonly string[]; answer: PromiseWithResolvers<boolean[]> };
const gathering = new WeakMap<Queryable, Look[]>();

/**
 * Whether these conditions are true; `$1` in them is the hub's time. Every kind of work looks by the clock for what nobody
 * told it of, mostly in vain: the looks of one moment are one query.
 */
export async function lookTogether(db: Queryable, now: Date, conditions: readonly string[]): Promise<boolean[]> {
  const look: Look = { conditions, answer: Promise.withResolvers() };
  const others = gathering.get(db);
  if (others) others.push(look);
  else {
    const looks = [look];
    gathering.set(db, looks);
    setTimeout(() => {
      gathering.delete(db);
      void ask(db, now, looks);
    }, gatherMs);
  }
  return await look.answer.promise;
}

async function ask(db: Queryable, now: Date, looks: Look[]): Promise<void> {
  try {
    const conditions = looks.flatMap((look) => look.conditions);
    const [row] = await db.query<{ found: boolean[] }>(
      `select array[${conditions.join(", ")}] as found, $1::timestamptz as "at"`,
      [now],
    );
    let from = 0;
    for (const { conditions: own, answer } of looks) answer.resolve(row!.found.slice(from, (from += own.length)));
  } catch (error) {
    for (const { answer } of looks) answer.reject(error);
  }
}
