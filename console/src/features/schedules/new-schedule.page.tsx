import { useRouter } from "@tanstack/react-router";
import { paths } from "../../app/paths.ts";
import { PageHead } from "../../ui/page-head.tsx";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import { showToast } from "../../ui/toast.tsx";
import { ScheduleForm } from "./schedule.form.tsx";
import { nameOf } from "./schedules.text.ts";

export function NewSchedulePage() {
  const { search } = useSearchParams();
  const router = useRouter();
  return (
    <>
      <PageHead above={{ href: paths.schedules(), name: "Schedules" }} title="New schedule" />
      <ScheduleForm
        start={{ bridgeId: oneOf(search["bridgeId"]) ?? "", taskName: oneOf(search["taskName"]) ?? "" }}
        onDone={(schedule) => {
          showToast(`${nameOf(schedule)} created`, { text: schedule.description });
          router.history.replace(paths.schedule(schedule.id));
        }}
      />
    </>
  );
}
