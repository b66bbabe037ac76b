import type { Operations, StreamData } from "./api-types.ts";
import type { Answer, CallOptions, OperationKey } from "./client.ts";
import type { PagedList } from "./pages.ts";

/** IDs in the path, in their order. */
type PathArgs<Key extends string> = Key extends `${string}{${string}}${infer Rest}`
  ? [id: string, ...PathArgs<Rest>]
  : [];

type Member<Key extends OperationKey, Name extends string> = Name extends keyof Operations[Key]
  ? Operations[Key][Name]
  : never;
type MayBeOmitted<Value> = Record<string, never> extends Value ? true : false;

type QueryArgs<Key extends OperationKey, Options> = [Member<Key, "query">] extends [never]
  ? [options?: Options]
  : MayBeOmitted<Member<Key, "query">> extends true
    ? [query?: Member<Key, "query">, options?: Options]
    : [query: Member<Key, "query">, options?: Options];

type BodyOptions<Key extends OperationKey> = CallOptions &
  ([Member<Key, "query">] extends [never] ? unknown : { query?: Member<Key, "query"> });

type InputArgs<Key extends OperationKey> = "body" extends keyof Operations[Key]
  ? MayBeOmitted<Member<Key, "body">> extends true
    ? [body?: Member<Key, "body">, options?: BodyOptions<Key>]
    : [body: Member<Key, "body">, options?: BodyOptions<Key>]
  : QueryArgs<Key, CallOptions>;

/** IDs of the path, then the body or the query, then options. */
export type Call<Key extends OperationKey> = (...args: [...PathArgs<Key>, ...InputArgs<Key>]) => Promise<Answer<Key>>;

type Entry<Page> = Page extends { data: Array<infer One> } ? One : never;

/** `for await` reads all entries; `.page()` reads one page. */
export type List<Key extends OperationKey> = (
  ...args: [...PathArgs<Key>, ...QueryArgs<Key, StreamOptions>]
) => PagedList<Entry<Answer<Key>>, Answer<Key>>;

type StreamOptions = { signal?: AbortSignal };

/** States of a record until it has ended; reconnects after a lost connection. */
export type Watch<Key extends OperationKey & keyof StreamData> = (
  ...args: [...PathArgs<Key>, ...QueryArgs<Key, StreamOptions>]
) => AsyncGenerator<StreamData[Key]>;

/** Events as they happen; resumes after a lost connection. */
export type Follow<Key extends OperationKey & keyof StreamData> = (
  ...args: QueryArgs<Key, StreamOptions>
) => AsyncGenerator<StreamData[Key]>;
