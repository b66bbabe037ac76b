import type { Bridge } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { paths } from "../../app/paths.ts";
import { hub } from "../../live/hub.ts";
import { useMe } from "../../live/me.ts";
import { useCreateForm } from "../../live/use-create-form.ts";
import { Card, Empty } from "../../ui/card.tsx";
import { CopyText } from "../../ui/copy-text.tsx";
import { Icon } from "../../ui/icons.tsx";
import type { FormSchema } from "../../ui/schema-form/schema.ts";
import { withoutEmpty } from "../../ui/schema-form/schema.ts";
import { SubmitForm } from "../../ui/submit-form.tsx";
import { showToast } from "../../ui/toast.tsx";
import { bridgeCan } from "./bridge.can.ts";
import { connectorsQuery } from "./bridges.queries.ts";
import { CredentialsForm } from "./credentials.form.tsx";

/** Address as seen from this browser; the shop may reach the hub under another name. */
const inboundWebhookUrl = ({ id }: Bridge): string => `${window.location.origin}/api/v1/bridges/${id}/inbound-webhooks`;

/** Stored credentials can be replaced, never read. */
export function BridgeCredentials({ bridge }: { bridge: Bridge }) {
  const router = useRouter();
  const refused = bridgeCan.change(useMe());
  const { data: connectors } = useQuery(connectorsQuery);
  const connector = connectors?.find(({ name }) => name === bridge.connector);
  const form = useCreateForm({
    start: (): { credentials: Record<string, unknown> } => ({ credentials: {} }),
    create: ({ credentials }) =>
      hub.call("PATCH /api/v1/bridges/{id}", {
        path: { id: bridge.id },
        body: { credentials: withoutEmpty(credentials) },
      }),
    refetch: ["bridges"],
    onCreated: () => {
      form.reset();
      showToast("Credentials replaced");
      router.history.push(paths.bridge(bridge.id, { test: "now" }));
    },
  });
  const isEmpty = Object.keys(withoutEmpty(form.draft.credentials)).length === 0;
  const schema = connector?.credentialsSchema as FormSchema | undefined;
  if (!schema) return null;
  const names = Object.keys(schema.properties ?? {});
  if (names.length === 0) {
    return (
      <Card>
        <Empty text="This connection needs no credentials." />
      </Card>
    );
  }
  return (
    <Card className="flex max-w-2xl flex-col gap-2.5 px-3.5 py-3" label="Credentials">
      <p className="flex items-start gap-2">
        <span className="pt-0.5">
          <Icon name={bridge.hasCredentials ? "shield" : "alert"} />
        </span>
        {bridge.hasCredentials
          ? "Credentials are stored encrypted and are never shown. Values that you enter here replace them; empty fields stay as they are."
          : "No credentials are stored."}
      </p>
      {names.includes("webhookSecret") && (
        <p className="flex flex-wrap items-baseline gap-x-2">
          Webhook address for the shop:
          <CopyText text={inboundWebhookUrl(bridge)} label="Copy the address for webhooks">
            {inboundWebhookUrl(bridge)}
          </CopyText>
        </p>
      )}
      <SubmitForm form={form} submit="Replace and test" reason={refused ?? (isEmpty && "Enter the new values.")}>
        <CredentialsForm schema={schema} {...form.field("credentials")} errors={form.errors} />
      </SubmitForm>
    </Card>
  );
}
