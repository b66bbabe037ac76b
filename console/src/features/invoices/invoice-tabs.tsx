import { paths } from "../../app/paths.ts";
import { TabLinks } from "../../ui/tabs.tsx";

/** Invoices and the findings of all of them. */
export function InvoiceTabs({ isFindings = false }: { isFindings?: boolean }) {
  return (
    <TabLinks
      label="Invoices and findings"
      tabs={[
        { href: paths.invoices(), label: "All invoices", isOn: !isFindings },
        { href: paths.findings(), label: "Findings", isOn: isFindings },
      ]}
    />
  );
}
