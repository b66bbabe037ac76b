import { useRouter } from "@tanstack/react-router";
import { paths } from "../../app/paths.ts";
import { PageHead } from "../../ui/page-head.tsx";
import { showToast } from "../../ui/toast.tsx";
import { AutomationForm } from "./automation.form.tsx";

export function NewAutomationPage() {
  const router = useRouter();
  return (
    <>
      <PageHead above={{ href: paths.automations(), name: "Automations" }} title="New automation" />
      <AutomationForm
        onDone={(saved) => {
          showToast(`${saved.name} started in test mode`, { text: "It records what it would change." });
          router.history.replace(paths.automation(saved.id, { tab: "test" }));
        }}
      />
    </>
  );
}
