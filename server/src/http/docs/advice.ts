/** Why a request gets an error code, and what to do about it. Markdown. */
export type Advice = { cause: string; fix: string };

export const reason = (cause: string, fix: string): Advice => ({ cause, fix });
