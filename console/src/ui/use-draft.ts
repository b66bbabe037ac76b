import { useState } from "react";

type Versioned = { version: number };

/**
 * What somebody makes of a record. As long as nothing is changed it follows the record; what was typed stays, whoever else
 * changes the record meanwhile: `base` is the version that it was made from.
 */
export function useDraft<Shown extends Versioned, Draft>(record: Shown, draftOf: (from: Shown) => Draft) {
  const [state, setState] = useState(() => ({ base: record, draft: draftOf(record) }));
  const isChanged = JSON.stringify(state.draft) !== JSON.stringify(draftOf(state.base));
  if (!isChanged && record.version > state.base.version) setState({ base: record, draft: draftOf(record) });
  return {
    base: state.base,
    draft: state.draft,
    isChanged,
    setDraft: (draft: Draft): void => setState({ ...state, draft }),
    /** Begins anew with this. */
    take: (from: Shown): void => setState({ base: from, draft: draftOf(from) }),
  };
}
