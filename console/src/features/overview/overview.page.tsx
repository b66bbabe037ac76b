import { useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { useMe } from "../../live/me.ts";
import { buttonClass } from "../../ui/button.tsx";
import { Card, Empty } from "../../ui/card.tsx";
import { BarChart } from "../../ui/charts/bar-chart.tsx";
import { formatCount, plural, sentence } from "../../ui/format.ts";
import { RecordLink } from "../../ui/link.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { Table, Td, Th } from "../../ui/table.tsx";
import { orderStatuses } from "../orders/order-filters.pick.ts";
import { orderCountsQuery } from "../orders/orders.queries.ts";
import { ImportShipments } from "./import-shipments.tsx";
import { RunsTile, TasksTile } from "./overview-failures.tsx";
import { Kpis } from "./overview-kpis.tsx";
import { shipmentCountsQuery } from "../shipments/shipments.queries.ts";
import { overviewQuery, seriesQuery } from "./overview.queries.ts";
import { riskReasons, text } from "./overview.text.ts";
import { Tile } from "./overview-tile.tsx";

/** Drafts need no action. */
const statuses = orderStatuses.filter((status) => status !== "draft");

/** What needs attention. Every figure links to the list it counts. */
export function OverviewPage() {
  const { data: shipments } = useQuery(shipmentCountsQuery);
  const hasNone = shipments?.total === 0;
  return (
    <>
      <PageHead title="Overview" note="30 days in the time zone of the organization" />
      <div className="flex flex-col gap-3.5">
        {hasNone ? (
          <Card label="Shipments">
            <Empty text={text.empty}>
              <ImportShipments />
            </Empty>
          </Card>
        ) : (
          <Kpis />
        )}
        <div className="grid items-start gap-3.5 xl:grid-cols-2">
          <div className="flex min-w-0 flex-col gap-3.5">
            {!hasNone && <RiskTile />}
            <OrdersTile />
          </div>
          <div className="flex min-w-0 flex-col gap-3.5">
            {!hasNone && <CarriersTile />}
            <RunsTile />
            <TasksTile />
          </div>
        </div>
      </div>
    </>
  );
}

function RiskTile() {
  const figures = useQuery(overviewQuery(useMe().organization.id));
  return (
    <Tile
      title="At risk, by reason"
      note={figures.data && `${plural(figures.data.at_risk, "shipment")} now; one may have several reasons`}
      query={figures}
    >
      {(data) =>
        data.at_risk === 0 ? (
          <Empty text="All well: no open shipment is at risk." />
        ) : (
          <BarChart
            label="Shipments at risk, by reason"
            bars={riskReasons.map(([reason, name, meaning]) => ({
              label: name,
              note: meaning,
              value: data.at_risk_by_reason[reason],
              href: paths.shipments({ atRisk: "true", riskReason: reason }),
            }))}
          />
        )
      }
    </Tile>
  );
}

function CarriersTile() {
  const series = useQuery(seriesQuery(useMe().organization.id, "carrier"));
  return (
    <Tile title="By carrier" note="delivered in 30 days; on time of those that were tried" query={series}>
      {(points) =>
        points.length === 0 ? (
          <Empty text="Nothing was delivered in these 30 days." />
        ) : (
          <Table label="By carrier">
            <thead>
              <tr>
                <Th>Carrier</Th>
                <Th isNumber>Delivered</Th>
                <Th isNumber>On time</Th>
                <Th isNumber>Days in transit</Th>
              </tr>
            </thead>
            <tbody>
              {points.slice(0, 8).map((point) => (
                <tr key={point.key}>
                  <Td className="max-w-48 truncate">
                    {point.key === "" ? (
                      <span className="text-muted">not known</span>
                    ) : (
                      <RecordLink href={paths.shipments({ carrier: point.key })}>{point.key}</RecordLink>
                    )}
                  </Td>
                  <Td isNumber>{formatCount(point.delivered)}</Td>
                  <Td isNumber className="whitespace-nowrap">
                    {point.sample.on_time === 0 ? (
                      <span className="text-muted">–</span>
                    ) : (
                      <>
                        {point.on_time_pct.toFixed(1)} %{" "}
                        <span className="text-faint">of {formatCount(point.sample.on_time)}</span>
                      </>
                    )}
                  </Td>
                  <Td isNumber>
                    {point.sample.transit === 0 ? (
                      <span className="text-muted">–</span>
                    ) : (
                      point.avg_transit_days.toFixed(1)
                    )}
                  </Td>
                </tr>
              ))}
            </tbody>
          </Table>
        )
      }
    </Tile>
  );
}

function OrdersTile() {
  const counts = useQuery(orderCountsQuery());
  return (
    <Tile
      title="Orders by status"
      note={counts.data && `${formatCount(counts.data.total)} that are not archived`}
      query={counts}
    >
      {(data) =>
        data.total === 0 ? (
          <Empty text="There are no orders yet. They come from a bridge, an import, or the API.">
            <a href="/docs" className={buttonClass("plain")}>
              The API
            </a>
          </Empty>
        ) : (
          <BarChart
            label="Orders by status"
            bars={statuses.map((status) => ({
              label: sentence(status),
              value: data[status],
              href: paths.orders({ status }),
            }))}
          />
        )
      }
    </Tile>
  );
}
