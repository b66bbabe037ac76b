import { paths } from "../../app/paths.ts";
import { PageHead } from "../../ui/page-head.tsx";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import { TabLinks } from "../../ui/tabs.tsx";
import { CostReport } from "./cost-report.tsx";
import { DeliveryPerformance } from "./delivery-performance.tsx";
import { DeliveryReports } from "./delivery-reports.tsx";
import { ExceptionCauses } from "./exception-causes.tsx";
import { PeriodPicker, usePeriod } from "./period.pick.tsx";
import { PeopleRuns } from "./people-runs.tsx";
import { VolumeDays } from "./volume-days.tsx";

const onTime = "on-time";

/** Figures of a period, each with chart, table, CSV file and the lists behind its numbers. */
export function ReportsPage() {
  const { label, before, period } = usePeriod();
  const { search } = useSearchParams();
  const isOnTime = oneOf(search["report"]) === onTime;
  const days = Object.fromEntries(Object.entries(period).map(([name, value]) => [name, String(value)]));
  return (
    <>
      <PageHead title="Reports" note={<span className="max-sm:hidden">{`${label}, compared with ${before}`}</span>}>
        <PeriodPicker />
      </PageHead>
      <TabLinks
        label="Reports"
        tabs={[
          { href: paths.reports(days), label: "All reports", isOn: !isOnTime },
          { href: paths.reports({ report: onTime, ...days }), label: "On time and transit", isOn: isOnTime },
        ]}
      />
      <div className="mx-auto flex w-full max-w-[1360px] flex-col gap-3.5">
        {isOnTime ? (
          <DeliveryPerformance />
        ) : (
          <>
            <VolumeDays />
            <DeliveryReports />
            <ExceptionCauses />
            <PeopleRuns />
            <CostReport />
          </>
        )}
      </div>
    </>
  );
}
