import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { Skeleton } from "../ui/card.tsx";
import { NotFound, PageProblem } from "./page-states.tsx";
import { Root } from "./root.tsx";
import { parseSearch, stringifySearch } from "./search-text.ts";

/** All pages, each loaded when it is first opened. */
const root = createRootRoute({ component: Root, notFoundComponent: NotFound });

const page = <Path extends string>(path: Path, component: ReturnType<typeof lazyRouteComponent>) =>
  createRoute({ getParentRoute: () => root, path, component });

const tree = root.addChildren([
  page(
    "/",
    lazyRouteComponent(() => import("../features/overview/overview.page.tsx"), "OverviewPage"),
  ),
  page(
    "/orders",
    lazyRouteComponent(() => import("../features/orders/orders.page.tsx"), "OrdersPage"),
  ),
  page(
    "/orders/import",
    lazyRouteComponent(() => import("../features/orders/order-import.page.tsx"), "OrderImportPage"),
  ),
  page(
    "/orders/$ref",
    lazyRouteComponent(() => import("../features/orders/order.page.tsx"), "OrderPage"),
  ),
  page(
    "/operations",
    lazyRouteComponent(() => import("../features/operations/runs.page.tsx"), "RunsPage"),
  ),
  page(
    "/operations/new",
    lazyRouteComponent(() => import("../features/operations/operate.page.tsx"), "OperatePage"),
  ),
  page(
    "/operations/runs/$id",
    lazyRouteComponent(() => import("../features/operations/run.page.tsx"), "RunPage"),
  ),
  page(
    "/operations/presets",
    lazyRouteComponent(() => import("../features/operations/presets.page.tsx"), "PresetsPage"),
  ),
  page(
    "/operations/presets/$id",
    lazyRouteComponent(() => import("../features/operations/preset.page.tsx"), "PresetPage"),
  ),
  page(
    "/exceptions",
    lazyRouteComponent(() => import("../features/exceptions/exceptions.page.tsx"), "ExceptionsPage"),
  ),
  page(
    "/rates",
    lazyRouteComponent(() => import("../features/rate-comparisons/rates.page.tsx"), "RatesPage"),
  ),
  page(
    "/rates/new",
    lazyRouteComponent(() => import("../features/rate-comparisons/new-rate.page.tsx"), "NewRatePage"),
  ),
  page(
    "/rates/$id",
    lazyRouteComponent(() => import("../features/rate-comparisons/rate.page.tsx"), "RatePage"),
  ),
  page(
    "/invoices",
    lazyRouteComponent(() => import("../features/invoices/invoices.page.tsx"), "InvoicesPage"),
  ),
  page(
    "/invoices/import",
    lazyRouteComponent(() => import("../features/invoices/invoice-import.page.tsx"), "InvoiceImportPage"),
  ),
  page(
    "/invoices/findings",
    lazyRouteComponent(() => import("../features/invoices/findings.page.tsx"), "FindingsPage"),
  ),
  page(
    "/invoices/$id/parcels/$trackingNumber",
    lazyRouteComponent(() => import("../features/invoices/findings.page.tsx"), "AuditedParcelPage"),
  ),
  page(
    "/invoices/parcels/$trackingNumber",
    lazyRouteComponent(() => import("../features/invoices/invoice.page.tsx"), "InvoiceParcelPage"),
  ),
  page(
    "/invoices/$id",
    lazyRouteComponent(() => import("../features/invoices/invoice.page.tsx"), "InvoicePage"),
  ),
  page(
    "/carriers",
    lazyRouteComponent(() => import("../features/carrier-accounts/carriers.page.tsx"), "CarriersPage"),
  ),
  page(
    "/carriers/$id",
    lazyRouteComponent(() => import("../features/carrier-accounts/carrier.page.tsx"), "CarrierPage"),
  ),
  page(
    "/bridges",
    lazyRouteComponent(() => import("../features/bridges/bridges.page.tsx"), "BridgesPage"),
  ),
  page(
    "/bridges/new",
    lazyRouteComponent(() => import("../features/bridges/connectors.page.tsx"), "ConnectorsPage"),
  ),
  page(
    "/bridges/new/$connector",
    lazyRouteComponent(() => import("../features/bridges/new-bridge.page.tsx"), "NewBridgePage"),
  ),
  page(
    "/bridges/install/$definition",
    lazyRouteComponent(() => import("../features/bridges/install-definition.page.tsx"), "InstallDefinitionPage"),
  ),
  page(
    "/bridges/$id",
    lazyRouteComponent(() => import("../features/bridges/bridge.page.tsx"), "BridgePage"),
  ),
  page(
    "/transformations",
    lazyRouteComponent(() => import("../features/transformations/transformations.page.tsx"), "TransformationsPage"),
  ),
  page(
    "/transformations/new",
    lazyRouteComponent(
      () => import("../features/transformations/new-transformation.page.tsx"),
      "NewTransformationPage",
    ),
  ),
  page(
    "/transformations/$id",
    lazyRouteComponent(() => import("../features/transformations/transformation.page.tsx"), "TransformationPage"),
  ),
  page(
    "/shipments",
    lazyRouteComponent(() => import("../features/shipments/shipments.page.tsx"), "ShipmentsPage"),
  ),
  page(
    "/shipments/labels",
    lazyRouteComponent(() => import("../features/shipments/labels.page.tsx"), "LabelsPage"),
  ),
  page(
    "/shipments/labels/new",
    lazyRouteComponent(() => import("../features/shipments/new-label.page.tsx"), "NewLabelPage"),
  ),
  page(
    "/shipments/$id",
    lazyRouteComponent(() => import("../features/shipments/shipment.page.tsx"), "ShipmentPage"),
  ),
  page(
    "/pack",
    lazyRouteComponent(() => import("../features/packing/pack.page.tsx"), "PackPage"),
  ),
  page(
    "/pickups",
    lazyRouteComponent(() => import("../features/pickups/pickups.page.tsx"), "PickupsPage"),
  ),
  page(
    "/stock",
    lazyRouteComponent(() => import("../features/stock/stock.page.tsx"), "StockPage"),
  ),
  page(
    "/schedules",
    lazyRouteComponent(() => import("../features/schedules/schedules.page.tsx"), "SchedulesPage"),
  ),
  page(
    "/schedules/new",
    lazyRouteComponent(() => import("../features/schedules/new-schedule.page.tsx"), "NewSchedulePage"),
  ),
  page(
    "/schedules/$id",
    lazyRouteComponent(() => import("../features/schedules/schedule.page.tsx"), "SchedulePage"),
  ),
  page(
    "/webhooks",
    lazyRouteComponent(() => import("../features/webhooks/webhooks.page.tsx"), "WebhooksPage"),
  ),
  page(
    "/webhooks/new",
    lazyRouteComponent(() => import("../features/webhooks/new-webhook.page.tsx"), "NewWebhookPage"),
  ),
  page(
    "/webhooks/$id",
    lazyRouteComponent(() => import("../features/webhooks/webhook.page.tsx"), "WebhookPage"),
  ),
  page(
    "/operations/automations",
    lazyRouteComponent(() => import("../features/automations/automations.page.tsx"), "AutomationsPage"),
  ),
  page(
    "/operations/automations/new",
    lazyRouteComponent(() => import("../features/automations/new-automation.page.tsx"), "NewAutomationPage"),
  ),
  page(
    "/operations/automations/$id",
    lazyRouteComponent(() => import("../features/automations/automation.page.tsx"), "AutomationPage"),
  ),
  page(
    "/tasks",
    lazyRouteComponent(() => import("../features/tasks/tasks.page.tsx"), "TasksPage"),
  ),
  page(
    "/tasks/$id",
    lazyRouteComponent(() => import("../features/tasks/task.page.tsx"), "TaskPage"),
  ),
  page(
    "/condition-sets",
    lazyRouteComponent(() => import("../features/condition-sets/condition-sets.page.tsx"), "ConditionSetsPage"),
  ),
  page(
    "/condition-sets/$id",
    lazyRouteComponent(() => import("../features/condition-sets/condition-set.page.tsx"), "ConditionSetPage"),
  ),
  page(
    "/locations",
    lazyRouteComponent(() => import("../features/locations/locations.page.tsx"), "LocationsPage"),
  ),
  page(
    "/locations/$id",
    lazyRouteComponent(() => import("../features/locations/location.page.tsx"), "LocationPage"),
  ),
  page(
    "/locations/sync/$bridgeId",
    lazyRouteComponent(() => import("../features/locations/location-sync.page.tsx"), "LocationSyncPage"),
  ),
  page(
    "/settings",
    lazyRouteComponent(() => import("../features/organizations/settings.page.tsx"), "SettingsPage"),
  ),
  page(
    "/settings/keys",
    lazyRouteComponent(() => import("../features/api-keys/api-keys.page.tsx"), "ApiKeysPage"),
  ),
  page(
    "/settings/users",
    lazyRouteComponent(() => import("../features/users/users.page.tsx"), "UsersPage"),
  ),
  page(
    "/settings/users/$id",
    lazyRouteComponent(() => import("../features/users/user.page.tsx"), "UserPage"),
  ),
  page(
    "/settings/organizations",
    lazyRouteComponent(() => import("../features/organizations/organizations.page.tsx"), "OrganizationsPage"),
  ),
  page(
    "/settings/audit",
    lazyRouteComponent(() => import("../features/audit/audit.page.tsx"), "AuditPage"),
  ),
  page(
    "/settings/requests",
    lazyRouteComponent(() => import("../features/requests/requests.page.tsx"), "RequestsPage"),
  ),
  page(
    "/settings/account",
    lazyRouteComponent(() => import("../features/auth/account.page.tsx"), "AccountPage"),
  ),
  page(
    "/invitation",
    lazyRouteComponent(() => import("../features/auth/invitation.page.tsx"), "InvitationPage"),
  ),
  page(
    "/reset-password",
    lazyRouteComponent(() => import("../features/auth/reset-password.page.tsx"), "ResetPasswordPage"),
  ),
  page(
    "/sign-in/callback",
    lazyRouteComponent(() => import("./sign-in-callback.page.tsx"), "SignInCallbackPage"),
  ),
  page(
    "/reports",
    lazyRouteComponent(() => import("../features/reports/reports.page.tsx"), "ReportsPage"),
  ),
  page(
    "/components",
    lazyRouteComponent(() => import("./components.page.tsx"), "ComponentsPage"),
  ),
]);

export const router = createRouter({
  routeTree: tree,
  parseSearch,
  stringifySearch,
  defaultPendingComponent: Skeleton,
  defaultErrorComponent: ({ error, reset }) => <PageProblem error={error} reset={reset} />,
  defaultPendingMs: 150,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
