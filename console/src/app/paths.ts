/** Addresses of all pages. Imports nothing, so that every layer can use it. */
type Query = Record<string, string | readonly string[] | undefined>;

function withQuery(path: string, query: Query = {}): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat()) if (one !== undefined && one !== "") params.append(name, one);
  }
  return params.size === 0 ? path : `${path}?${params}`;
}

const one = (path: string, id: string, query?: Query): string => withQuery(`${path}/${encodeURIComponent(id)}`, query);

export const paths = {
  overview: () => "/",
  signInCallback: () => "/sign-in/callback",
  invitation: () => "/invitation",
  resetPassword: () => "/reset-password",
  orders: (query?: Query) => withQuery("/orders", query),
  orderImport: () => "/orders/import",
  order: (ref: string) => one("/orders", ref),
  operations: (query?: Query) => withQuery("/operations", query),
  newOperation: (query?: Query) => withQuery("/operations/new", query),
  run: (id: string, query?: Query) => one("/operations/runs", id, query),
  presets: () => "/operations/presets",
  preset: (id: string) => one("/operations/presets", id),
  automations: (query?: Query) => withQuery("/operations/automations", query),
  newAutomation: () => "/operations/automations/new",
  automation: (id: string, query?: Query) => one("/operations/automations", id, query),
  exceptions: (query?: Query) => withQuery("/exceptions", query),
  shipments: (query?: Query) => withQuery("/shipments", query),
  shipment: (id: string) => one("/shipments", id),
  labels: (query?: Query) => withQuery("/shipments/labels", query),
  newLabel: (query?: Query) => withQuery("/shipments/labels/new", query),
  pack: () => "/pack",
  pickups: (query?: Query) => withQuery("/pickups", query),
  rates: (query?: Query) => withQuery("/rates", query),
  newRate: () => "/rates/new",
  rate: (id: string, query?: Query) => one("/rates", id, query),
  invoices: (query?: Query) => withQuery("/invoices", query),
  invoiceImport: () => "/invoices/import",
  invoiceParcel: (trackingNumber: string) => one("/invoices/parcels", trackingNumber),
  invoice: (id: string, query?: Query) => one("/invoices", id, query),
  findings: (query?: Query) => withQuery("/invoices/findings", query),
  auditedParcel: (invoiceId: string, trackingNumber: string) =>
    one(`${one("/invoices", invoiceId)}/parcels`, trackingNumber),
  bridges: (query?: Query) => withQuery("/bridges", query),
  newBridge: (connector?: string) => (connector ? one("/bridges/new", connector) : "/bridges/new"),
  installDefinition: (name: string) => one("/bridges/install", name),
  bridge: (id: string, query?: Query) => one("/bridges", id, query),
  tasks: (query?: Query) => withQuery("/tasks", query),
  task: (id: string, query?: Query) => one("/tasks", id, query),
  schedules: (query?: Query) => withQuery("/schedules", query),
  newSchedule: (query?: Query) => withQuery("/schedules/new", query),
  schedule: (id: string, query?: Query) => one("/schedules", id, query),
  stock: (query?: Query) => withQuery("/stock", query),
  transformations: (query?: Query) => withQuery("/transformations", query),
  newTransformation: (query?: Query) => withQuery("/transformations/new", query),
  transformation: (id: string, query?: Query) => one("/transformations", id, query),
  webhooks: (query?: Query) => withQuery("/webhooks", query),
  newWebhook: () => "/webhooks/new",
  webhook: (id: string, query?: Query) => one("/webhooks", id, query),
  conditionSets: (query?: Query) => withQuery("/condition-sets", query),
  conditionSet: (id: string, query?: Query) => one("/condition-sets", id, query),
  locations: (query?: Query) => withQuery("/locations", query),
  location: (id: string) => one("/locations", id),
  locationSync: (bridgeId: string) => one("/locations/sync", bridgeId),
  carriers: (query?: Query) => withQuery("/carriers", query),
  carrier: (id: string, query?: Query) => one("/carriers", id, query),
  keys: (query?: Query) => withQuery("/settings/keys", query),
  users: (query?: Query) => withQuery("/settings/users", query),
  user: (id: string) => one("/settings/users", id),
  account: () => "/settings/account",
  organizations: (query?: Query) => withQuery("/settings/organizations", query),
  audit: (query?: Query) => withQuery("/settings/audit", query),
  requests: (query?: Query) => withQuery("/settings/requests", query),
  reports: (query?: Query) => withQuery("/reports", query),
  settings: () => "/settings",
  components: () => "/components",
} as const;
