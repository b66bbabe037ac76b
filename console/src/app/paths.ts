/** Every address of the console. A leaf: whoever links somewhere takes it from here. */
type Query = Record<string, string | readonly string[] | undefined>;

function withQuery(path: string, query: Query = {}): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat()) if (one !== undefined && one !== "") params.append(name, one);
  }
  return params.size === 0 ? path : `${path}?${params}`;
}

export const paths = {
  overview: () => "/",
  orders: (query?: Query) => withQuery("/orders", query),
  order: (ref: string) => `/orders/${encodeURIComponent(ref)}`,
  operations: (query?: Query) => withQuery("/operations", query),
  newOperation: (query?: Query) => withQuery("/operations/new", query),
  run: (id: string, query?: Query) => withQuery(`/operations/runs/${encodeURIComponent(id)}`, query),
  presets: () => "/operations/presets",
  components: () => "/components",
} as const;
