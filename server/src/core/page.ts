/** Bounds of a list: above the maximum is refused, never silently clamped. */
export type PageRequest = { page: number; limit: number };

export type Page<T> = {
  data: T[];
  pagination: { page: number; limit: number; total: number; pages: number; hasMore: boolean };
};

export function offsetOf({ page, limit }: PageRequest): number {
  return (page - 1) * limit;
}

export function toPage<T>(data: T[], total: number, { page, limit }: PageRequest): Page<T> {
  const pages = Math.ceil(total / limit);
  return { data, pagination: { page, limit, total, pages, hasMore: page < pages } };
}

export function mapPage<T, U>({ data, pagination }: Page<T>, toItem: (item: T) => U): Page<U> {
  return { data: data.map(toItem), pagination };
}

type CappedPage<T> = { data: T[]; pagination: Page<T>["pagination"] & { totalIsCapped: boolean } };

/** Of a list that is not counted to its end: as long as there is more, there is at least one more page. */
export function toCappedPage<T>(
  { data, total, totalIsCapped, hasMore }: { data: T[]; total: number; totalIsCapped: boolean; hasMore: boolean },
  { page, limit }: PageRequest,
): CappedPage<T> {
  const pages = Math.max(Math.ceil(total / limit), hasMore ? page + 1 : 0);
  return { data, pagination: { page, limit, total, totalIsCapped, pages, hasMore } };
}
