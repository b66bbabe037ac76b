import type { Bridge } from "@order-operations-hub/sdk/api-types";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { paths } from "../../app/paths.ts";
import { hub, queryClient } from "../../live/hub.ts";
import { useMe } from "../../live/me.ts";
import { Button } from "../../ui/button.tsx";
import { Card, Empty } from "../../ui/card.tsx";
import { CopyText } from "../../ui/copy-text.tsx";
import { fieldErrors, isAllOnFields } from "../../ui/field-errors.ts";
import { Icon } from "../../ui/icons.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { SchemaForm } from "../../ui/schema-form/schema-form.tsx";
import type { FormSchema } from "../../ui/schema-form/schema.ts";
import { withoutEmpty } from "../../ui/schema-form/schema.ts";
import { tell } from "../../ui/toast.tsx";
import { bridgeCan } from "./bridge.can.ts";
import { connectorsQuery } from "./bridges.queries.ts";

/** Where the hub is seen from here: whoever is to call it may have to use another name for it. */
const inboundWebhookUrl = ({ id }: Bridge): string => `${window.location.origin}/api/v1/bridges/${id}/inbound-webhooks`;

/** They go in and never come out: what is stored can be replaced, not read. */
export function BridgeCredentials({ bridge }: { bridge: Bridge }) {
  const router = useRouter();
  const refused = bridgeCan.change(useMe());
  const { data: connectors } = useQuery(connectorsQuery);
  const connector = connectors?.find(({ name }) => name === bridge.connector);
  const [given, setGiven] = useState<Record<string, unknown>>({});
  const credentials = withoutEmpty(given);
  const save = useMutation({
    mutationFn: () => hub.call("PATCH /api/v1/bridges/{id}", { path: { id: bridge.id }, body: { credentials } }),
    onSuccess: async () => {
      setGiven({});
      await queryClient.invalidateQueries({ queryKey: ["bridges"] });
      tell("Credentials replaced");
      router.history.push(paths.bridge(bridge.id, { test: "now" }));
    },
  });
  const schema = connector?.credentialsSchema as FormSchema | undefined;
  if (!schema) return null;
  const names = Object.keys(schema.properties ?? {});
  if (names.length === 0) {
    return (
      <Card>
        <Empty text="This connector needs no credentials." />
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
          ? "Credentials are stored, sealed. Nobody can read them; what you give here takes their place, and what you leave empty stays."
          : "None are stored."}
      </p>
      {names.includes("webhookSecret") && (
        <p className="flex flex-wrap items-baseline gap-x-2">
          Webhooks from there come to
          <CopyText text={inboundWebhookUrl(bridge)} label="Copy the address for webhooks">
            {inboundWebhookUrl(bridge)}
          </CopyText>
        </p>
      )}
      <form
        className="flex flex-col gap-2.5"
        onSubmit={(event) => {
          event.preventDefault();
          if (!refused && Object.keys(credentials).length > 0) save.mutate();
        }}
      >
        {save.error && !isAllOnFields(save.error, ["/credentials"]) && <ProblemBox error={save.error} />}
        <SchemaForm
          schema={schema}
          value={given}
          onChange={setGiven}
          errors={fieldErrors(save.error)}
          pointer="/credentials"
        />
        <div>
          <Button
            kind="primary"
            type="submit"
            isBusy={save.isPending}
            disabledReason={refused ?? (Object.keys(credentials).length === 0 && "Fill in what is to be replaced.")}
          >
            Replace and test
          </Button>
        </div>
      </form>
    </Card>
  );
}
