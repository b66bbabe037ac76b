import type { Route } from "../route.ts";
import { apiKeyRoutes } from "../features/api-keys/api-keys.routes.ts";
import { auditRoutes } from "../features/audit/audit.routes.ts";
import { authRoutes } from "../features/auth/auth.routes.ts";
import { bridgeDefinitionRoutes } from "../features/bridge-definitions/bridge-definitions.routes.ts";
import { bridgeRemovalRoutes } from "../features/bridge-removal/bridge-removal.routes.ts";
import { bridgeRoutes } from "../features/bridges/bridges.routes.ts";
import { carrierAccountRoutes } from "../features/carrier-accounts/carrier-accounts.routes.ts";
import { carrierWebhookRoutes } from "../features/carrier-webhooks/carrier-webhooks.routes.ts";
import { conditionSetRoutes } from "../features/condition-sets/condition-sets.routes.ts";
import { documentRoutes } from "../features/documents/documents.routes.ts";
import { exceptionFixRoutes } from "../features/exception-fixes/exception-fixes.routes.ts";
import { exceptionRoutes } from "../features/exceptions/exceptions.routes.ts";
import { eventRoutes } from "../features/events/events.routes.ts";
import { labelDocumentRoutes } from "../features/label-documents/label-documents.routes.ts";
import { labelRoutes } from "../features/labels/labels.routes.ts";
import { manifestRoutes } from "../features/manifests/manifests.routes.ts";
import { locationRoutes } from "../features/locations/locations.routes.ts";
import { orderTimelineRoutes } from "../features/order-timeline/order-timeline.routes.ts";
import { orderRoutes } from "../features/orders/orders.routes.ts";
import { operationRoutes } from "../features/operations/operations.routes.ts";
import { organizationRoutes } from "../features/organizations/organizations.routes.ts";
import { pickupRoutes } from "../features/pickups/pickups.routes.ts";
import { packingRoutes } from "../features/packing/packing.routes.ts";
import { outboundRoutes } from "../features/outbound-pause/outbound-pause.routes.ts";
import { previewRoutes } from "../features/preview/preview.routes.ts";
import { reportRoutes } from "../features/reports/reports.routes.ts";
import { requestRoutes } from "../features/requests/requests.routes.ts";
import { replayRoutes } from "../features/replays/replays.routes.ts";
import { automationRoutes } from "../features/automations/automations.routes.ts";
import { scheduleRoutes } from "../features/schedules/schedules.routes.ts";
import { taskRoutes } from "../features/tasks/tasks.routes.ts";
import { shipmentRoutes } from "../features/shipments/shipments.routes.ts";
import { transformationRoutes } from "../features/transformations/transformations.routes.ts";
import { rateComparisonRoutes } from "../features/rate-comparisons/rate-comparisons.routes.ts";
import { searchRoutes } from "../features/search/search.routes.ts";
import { invoiceRoutes } from "../features/invoices/invoices.routes.ts";
import { importPresetRoutes } from "../features/import-presets/import-presets.routes.ts";
import { viewRoutes } from "../features/views/views.routes.ts";
import { userRoutes } from "../features/users/users.routes.ts";
import { webhookRoutes } from "../features/webhooks/webhooks.routes.ts";
import { stockRoutes } from "../features/stock/stock.routes.ts";
import { invitationRoutes } from "../features/invitations/invitations.routes.ts";
import { notificationRoutes } from "../features/notifications/notifications.routes.ts";
import type { Environment } from "../context.ts";

/** Every route of the main service. There is no other way in. */
const allRoutes: Route[] = [
  ...authRoutes,
  ...apiKeyRoutes,
  ...conditionSetRoutes,
  ...orderRoutes,
  ...orderTimelineRoutes,
  ...importPresetRoutes,
  ...shipmentRoutes,
  ...labelRoutes,
  ...manifestRoutes,
  ...labelDocumentRoutes,
  ...documentRoutes,
  ...pickupRoutes,
  ...packingRoutes,
  ...locationRoutes,
  ...stockRoutes,
  ...operationRoutes,
  ...bridgeDefinitionRoutes,
  ...bridgeRoutes,
  ...bridgeRemovalRoutes,
  ...taskRoutes,
  ...exceptionRoutes,
  ...exceptionFixRoutes,
  ...transformationRoutes,
  ...replayRoutes,
  ...scheduleRoutes,
  ...automationRoutes,
  ...carrierAccountRoutes,
  ...carrierWebhookRoutes,
  ...rateComparisonRoutes,
  ...invoiceRoutes,
  ...organizationRoutes,
  ...userRoutes,
  ...invitationRoutes,
  ...notificationRoutes,
  ...viewRoutes,
  ...searchRoutes,
  ...reportRoutes,
  ...eventRoutes,
  ...webhookRoutes,
  ...auditRoutes,
  ...requestRoutes,
  ...outboundRoutes,
  ...previewRoutes,
];

export const apiPrefix = "/api/v1";

export function routesOf(environment: Environment): Route[] {
  return allRoutes.filter((route) => environment === "preview" || !route.previewOnly);
}
