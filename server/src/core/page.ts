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
