import { checkAddress } from "./stand-in-easypost-bodies.ts";
import { fileUrl } from "./stand-in-easypost-buy.ts";
import type { Address } from "./stand-in-easypost-objects.ts";
import { fail, notFound, refuse } from "./stand-in-easypost-answers.ts";
import { easypostUser, makeAddress, stamp, verifyAddress } from "./stand-in-easypost-objects.ts";
import { listCarrierAccounts } from "./stand-in-easypost-rates.ts";
import type { EasypostWorld } from "./stand-in-easypost-world.ts";
import { findShipment, modeOf } from "./stand-in-easypost-world.ts";
import type { LabelFormat } from "../label-files.ts";
import { labelFile } from "../label-files.ts";
import type { CarrierReply, CarrierRequest, Operation, StandIn } from "../stand-in-api.ts";

const contentTypes: Record<string, { format: LabelFormat; type: string }> = {
  png: { format: "PNG", type: "image/png" },
  pdf: { format: "PDF", type: "application/pdf" },
  zpl: { format: "ZPL", type: "application/octet-stream" },
  epl2: { format: "EPL2", type: "application/octet-stream" },
};

/** The file store is another service: it answers in XML and refuses requests with an EasyPost key. */
function sendFile(request: CarrierRequest, match: RegExpExecArray, standIn: StandIn): CarrierReply {
  const xml = (status: number, code: string, message: string): CarrierReply => ({
    status,
    headers: { "content-type": "application/xml" },
    body: `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`,
  });
  if (request.headers.authorization !== undefined) return xml(400, "InvalidArgument", "Unsupported Authorization Type");
  if (standIn.takeFault("label_unavailable", "label_file")) return xml(403, "AccessDenied", "Access Denied");
  const [, code = "", extension = ""] = match;
  const file = contentTypes[extension];
  if (!file) return xml(404, "NoSuchKey", "The specified key does not exist.");
  return { status: 200, headers: { "content-type": file.type }, body: labelFile(file.format, code) };
}

/** Adds the label in another format. The first one stays. */
function convertLabel(
  world: EasypostWorld,
  request: CarrierRequest,
  match: RegExpExecArray,
  standIn: StandIn,
): CarrierReply {
  const shipment = findShipment(world, decodeURIComponent(match[1]!), modeOf(world, request));
  if (!shipment) return notFound();
  const { postage_label: label, tracking_code } = shipment;
  if (!label || !tracking_code) return fail(422, "SHIPMENT.POSTAGE.REQUIRED", "The shipment has no postage.");
  const format = (request.url.searchParams.get("file_format") ?? "").toUpperCase();
  const fields = { PDF: "label_pdf_url", ZPL: "label_zpl_url", EPL2: "label_epl2_url" } as const;
  if (format !== "PDF" && format !== "ZPL" && format !== "EPL2") {
    return fail(422, "SHIPMENT.POSTAGE.INVALID_FORMAT", "The format must be PDF, ZPL or EPL2.");
  }
  const at = world.now();
  const url = label[fields[format]] ?? fileUrl(standIn, format, tracking_code, at);
  const converted = { ...shipment, postage_label: { ...label, [fields[format]]: url, updated_at: stamp(at) } };
  return { status: 200, body: world.shipments.save(standIn, "convert_label", converted, { id: shipment.id }) };
}

const verifyFailure = (address: Address): CarrierReply =>
  fail(422, "ADDRESS.VERIFY.FAILURE", "Unable to verify address.", address.verifications.delivery?.errors);

const isAsked = (verify: boolean | string[] | undefined): boolean =>
  Array.isArray(verify) ? verify.length > 0 : verify === true;

export function addressOperations(world: EasypostWorld): Operation[] {
  const create = (
    request: CarrierRequest,
    standIn: StandIn,
    isStrict: boolean,
  ): { address: Address } | { reply: CarrierReply } => {
    const { value, problems } = checkAddress(request.json());
    if (problems) return { reply: refuse(problems, "ADDRESS.PARAMETERS.INVALID") };
    const made = makeAddress(value.address, modeOf(world, request), world.now());
    const strict = isStrict || isAsked(value.verify_strict);
    const address = strict || isAsked(value.verify) ? verifyAddress(made) : made;
    if (strict && !address.verifications.delivery?.success) return { reply: verifyFailure(address) };
    return { address: world.addresses.save(standIn, "address", address) };
  };
  return [
    {
      name: "check_address",
      method: "POST",
      path: /^\/v2\/addresses$/,
      answer(request, _match, standIn) {
        const made = create(request, standIn, false);
        return "reply" in made ? made.reply : { status: 201, body: made.address };
      },
    },
    {
      name: "check_address",
      method: "POST",
      path: /^\/v2\/addresses\/create_and_verify$/,
      answer(request, _match, standIn) {
        const made = create(request, standIn, true);
        return "reply" in made ? made.reply : { status: 200, body: made };
      },
    },
    {
      name: "check_address",
      method: "GET",
      path: /^\/v2\/addresses\/([^/]+)(\/verify)?$/,
      answer(request, [, id = "", verify], standIn) {
        const found = world.addresses.find(id);
        if (found?.mode !== modeOf(world, request)) return notFound();
        if (!verify) return { status: 200, body: found };
        const address = verifyAddress(found);
        if (!address.verifications.delivery?.success) return verifyFailure(address);
        return { status: 200, body: { address: world.addresses.save(standIn, "address", address) } };
      },
    },
  ];
}

/** User and carrier accounts belong to the production mode: a test key is refused. */
function inProduction(world: EasypostWorld, request: CarrierRequest, body: unknown): CarrierReply {
  if (modeOf(world, request) === "production") return { status: 200, body };
  return fail(403, "MODE.UNAUTHORIZED", "This resource requires a production API Key to access.");
}

export function accountOperations(world: EasypostWorld): Operation[] {
  return [
    {
      name: "label_file",
      method: "GET",
      path: /^\/files\/[a-z_]+\/\d+\/[^/]+-([^/-]+)\.([a-z0-9]+)$/,
      answer: sendFile,
    },
    {
      name: "convert_label",
      method: "GET",
      path: /^\/v2\/shipments\/([^/]+)\/label$/,
      answer: (request, match, standIn) => convertLabel(world, request, match, standIn),
    },
    {
      name: "account",
      method: "GET",
      path: /^\/v2\/users$/,
      answer: (request) => inProduction(world, request, easypostUser),
    },
    {
      name: "account",
      method: "GET",
      path: /^\/v2\/carrier_accounts$/,
      answer: (request) => inProduction(world, request, listCarrierAccounts()),
    },
  ];
}
