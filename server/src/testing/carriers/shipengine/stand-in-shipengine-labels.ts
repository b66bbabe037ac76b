import { labelFile } from "../label-files.ts";
import { buyInline, buyRate, formats, shownLabel } from "./stand-in-shipengine-buy.ts";
import type { SeLabel, ShipengineWorld } from "./stand-in-shipengine-world.ts";
import { missing } from "./stand-in-shipengine-world.ts";
import type { CarrierReply, CarrierRequest, Operation, StandIn } from "../stand-in-api.ts";

/** A refusal is 200 as well: `approved` is the outcome, not the status. */
function voidLabel(world: ShipengineWorld, standIn: StandIn, row: SeLabel): CarrierReply {
  const refused = (reason_code: string, message: string): CarrierReply => ({
    status: 200,
    body: { approved: false, message, reason_code },
  });
  if (row.isVoided) return refused("label_already_voided", "This label has been voided already.");
  if (standIn.takeFault("void_refused", "void"))
    return refused("contact_carrier", "The carrier did not approve the void request.");
  if (row.events.some(({ status_code }) => status_code !== "AC" && status_code !== "NY"))
    return refused("label_already_used", "This label has been used.");
  const ageDays = (world.now().getTime() - Date.parse(row.createdAt)) / 86_400_000;
  if (ageDays > 30) return refused("label_not_found_within_void_period", "The time to void this label is over.");
  const voided_at = world.now().toISOString();
  const voided = { ...row, isVoided: true, label: { ...row.label, status: "voided", voided: true, voided_at } };
  world.labels.save(standIn, "void", voided, { id: row.id, trackingNumber: row.label.tracking_number });
  return { status: 200, body: { approved: true, message: "This label has been voided." } };
}

/** A label that was processing is ready the next time it is asked for. */
function readLabel(world: ShipengineWorld, standIn: StandIn, row: SeLabel, request: CarrierRequest): CarrierReply {
  const ready = row.label.status === "processing" ? { ...row, label: { ...row.label, status: "completed" } } : row;
  if (ready !== row) world.labels.save(standIn, "label_ready", ready, { id: row.id });
  return { status: 200, body: shownLabel(standIn, ready, request.url.searchParams.get("label_download_type")) };
}

export function labelOperations(world: ShipengineWorld): Operation[] {
  const buy = (path: RegExp, answer: Operation["answer"]): Operation => ({ name: "buy", method: "POST", path, answer });
  return [
    buy(/^\/v1\/labels$/, (request, _match, standIn) => buyInline(world, standIn, request.json())),
    buy(/^\/v1\/labels\/rates\/([^/]+)$/, (request, match, standIn) =>
      buyRate(world, standIn, match[1]!, request.json()),
    ),
    {
      name: "list_labels",
      method: "GET",
      path: /^\/v1\/labels$/,
      answer({ url: { searchParams } }, _match, standIn) {
        const isWanted = ({ label }: SeLabel): boolean =>
          ["tracking_number", "carrier_id", "shipment_id"].every(
            (field) => (searchParams.get(field) ?? label[field]) === label[field],
          );
        const size = Number(searchParams.get("page_size") ?? 25);
        const all = world.labels.list(isWanted);
        const links = { first: { href: "" }, last: { href: "" }, prev: {}, next: {} };
        const labels = all.slice(0, size).map((row) => shownLabel(standIn, row, "url"));
        return {
          status: 200,
          body: { labels, total: all.length, page: 1, pages: Math.ceil(all.length / size), links },
        };
      },
    },
    {
      name: "find",
      method: "GET",
      path: /^\/v1\/labels\/external_shipment_id\/([^/]+)$/,
      answer(request, match, standIn) {
        const externalId = decodeURIComponent(match[1]!);
        const row = world.labels.newest(({ shipment }) => shipment.external_shipment_id === externalId);
        return row
          ? readLabel(world, standIn, row, request)
          : missing(`No label was found for the external shipment ID ${externalId}.`);
      },
    },
    {
      name: "find",
      method: "GET",
      path: /^\/v1\/labels\/([^/]+)$/,
      answer(request, match, standIn) {
        const row = world.labels.find(match[1]!);
        return row ? readLabel(world, standIn, row, request) : missing(`Label ID ${match[1]} was not found.`);
      },
    },
    {
      name: "void",
      method: "PUT",
      path: /^\/v1\/labels\/([^/]+)\/void$/,
      answer(_request, match, standIn) {
        const row = world.labels.find(match[1]!);
        return row ? voidLabel(world, standIn, row) : missing(`Label ID ${match[1]} was not found.`);
      },
    },
    {
      name: "label_file",
      method: "GET",
      path: /^\/v1\/downloads\/\d+\/[^/]+\/(?:label|manifest)-([^/]+)\.([a-z]+)$/,
      answer(_request, match) {
        const file = formats[match[2]!];
        if (!file) return missing("The file was not found.");
        return { status: 200, headers: { "content-type": file.type }, body: labelFile(file.format, match[1]!) };
      },
    },
  ];
}
