/** A list: `for await` reads all entries page by page, `page()` reads one page. */
export type PagedList<Entry, Page> = AsyncIterable<Entry> & {
  page(): Promise<Page>;
};

type Numbered = { data: unknown[]; pagination: { hasMore: boolean } };
type Feed = { data: unknown[]; cursor: string; hasMore: boolean };
export type Query = Record<string, unknown>;

/** `read` returns one page for a query. Lists have numbered pages; the event feed has a cursor. */
export function pagedList<Page>(query: Query, read: (query: Query) => Promise<Page>): PagedList<unknown, Page> {
  return {
    page: () => read(query),
    async *[Symbol.asyncIterator]() {
      let next: Query | undefined = query;
      while (next) {
        const page = await read(next);
        const { data } = page as Numbered | Feed;
        yield* data;
        next = queryAfter(next, page as Numbered | Feed);
      }
    },
  };
}

function queryAfter(query: Query, page: Numbered | Feed): Query | undefined {
  if ("cursor" in page) return page.hasMore ? { ...query, after: page.cursor } : undefined;
  return page.pagination.hasMore ? { ...query, page: Number(query["page"] ?? 1) + 1 } : undefined;
}
