import { useState } from "react";
import { paths } from "../../app/paths.ts";
import { buttonClass } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Link } from "../../ui/link.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { SecretBox } from "./secret-box.tsx";
import type { Made } from "./webhook.form.tsx";
import { WebhookForm } from "./webhook.form.tsx";
import { hostOf } from "./webhooks.text.ts";

export function NewWebhookPage() {
  const [made, setMade] = useState<Made>();
  return (
    <>
      <PageHead
        above={{ href: paths.webhooks(), name: "Webhooks" }}
        title={made ? made.description || hostOf(made.url) : "New webhook"}
      />
      {made ? (
        <Card className="flex max-w-3xl flex-col gap-3 px-4 py-3" label="Webhook created">
          <p>Events are sent to {hostOf(made.url)} from now on.</p>
          <SecretBox secret={made.secret} publicKey={made.publicKey} />
          <div className="flex justify-end">
            <Link href={paths.webhook(made.id)} className={buttonClass("primary")}>
              I have copied it
            </Link>
          </div>
        </Card>
      ) : (
        <WebhookForm onDone={(saved) => "secret" in saved && setMade(saved)} />
      )}
    </>
  );
}
