import { useRouter } from "@tanstack/react-router";
import { paths } from "../../app/paths.ts";
import { Crumbs } from "../../ui/crumbs.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { tell } from "../../ui/toast.tsx";
import { AutomationForm } from "./automation.form.tsx";

export function NewAutomationPage() {
  const router = useRouter();
  return (
    <>
      <PageHead
        title={
          <Crumbs href={paths.automations()} name="Automations">
            New
          </Crumbs>
        }
      />
      <AutomationForm
        onDone={(saved) => {
          tell(`${saved.name} begins in shadow`, { text: "It checks from now on, and changes nothing." });
          router.history.replace(paths.automation(saved.id, { tab: "test" }));
        }}
      />
    </>
  );
}
