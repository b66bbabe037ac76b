import { useQuery } from "@tanstack/react-query";
import { Heading } from "../../ui/card.tsx";
import { valueText } from "../../ui/change-text.ts";
import { Fact, Facts } from "../../ui/facts.tsx";
import { Fold } from "../../ui/fold.tsx";
import { fieldName, sentence, words } from "../../ui/format.ts";
import { JsonView } from "../../ui/json-view.tsx";
import { Table, Td, Th } from "../../ui/table.tsx";
import { orderQuery } from "../orders/orders.queries.ts";
import type { Exception } from "./exceptions.queries.ts";

type Data = Record<string, unknown>;
type FieldProblem = { pointer: string; message: string };
type KeptRecord = { externalId?: string; raw?: Data | null; canonical?: Data | null };

const isData = (value: unknown): value is Data => typeof value === "object" && value !== null && !Array.isArray(value);

export const recordOf = ({ details }: Exception): KeptRecord | undefined =>
  isData(details["record"]) ? details["record"] : undefined;

/** A value of unknown data as text, if it is a plain one. */
export const plainText = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "";

/** Field errors of a rejected record. */
export function problemsIn(errors: unknown): FieldProblem[] {
  if (!Array.isArray(errors)) return [];
  return errors
    .filter(isData)
    .map((one) => ({ pointer: plainText(one["pointer"]), message: plainText(one["message"] ?? one["code"]) }));
}

/** The subject of the exception: the rejected record, the disputed values side by side, or the outcome per shipment. */
export function ExceptionRecord({ exception }: { exception: Exception }) {
  const { theirs, shipments, record: _record, errors: _errors, fact: _fact, ...rest } = exception.details;
  const record = recordOf(exception);
  return (
    <>
      {isData(theirs) && <TheirsBesideOurs orderId={exception.orderId} theirs={theirs} />}
      {record && (
        <Record record={record} problems={problemsIn(exception.details["errors"])} isRaw={isUnmapped(exception)} />
      )}
      {Array.isArray(shipments) && shipments.length > 0 && <Shipments shipments={shipments.filter(isData)} />}
      {Object.keys(rest).length > 0 && (
        <Fold title="More details">
          <JsonView label="More details" value={rest} />
        </Fold>
      )}
    </>
  );
}

/** A record that could not be mapped exists only as received. */
const isUnmapped = (exception: Exception): boolean =>
  exception.code === "transformation_failed" || !recordOf(exception)?.canonical;

type RecordProps = { record: KeptRecord; problems: readonly FieldProblem[]; isRaw: boolean };

function Record({ record, problems, isRaw }: RecordProps) {
  const shown = isRaw ? record.raw : record.canonical;
  if (!shown) return <p className="text-muted">The record was too large to store. See it in the source system.</p>;
  const problemAt = (name: string): string | undefined =>
    problems.find(({ pointer }) => pointer === `/${name}` || pointer.startsWith(`/${name}/`))?.message;
  const missing = problems.filter(({ pointer }) => pointer !== "" && !Object.hasOwn(shown, pointer.split("/")[1]!));
  return (
    <section aria-label="Record">
      <Heading title="Record" note={isRaw ? "as received" : "as the hub reads it"} />
      <Facts>
        {missing.map(({ pointer, message }) => (
          <Field key={pointer} name={fieldName(pointer)} value={undefined} problem={message} />
        ))}
        {Object.entries(shown).map(([name, value]) => (
          <Field key={name} name={words(name)} value={value} problem={problemAt(name)} />
        ))}
      </Facts>
      <div className="mt-1.5">
        <Fold title="JSON">
          <JsonView label="Record as JSON" value={record.canonical ? record : record.raw} />
        </Fold>
      </div>
    </section>
  );
}

function Field({ name, value, problem }: { name: string; value: unknown; problem: string | undefined }) {
  return (
    <Fact name={sentence(name)}>
      {valueText(value)}
      {problem && <p className="text-sm text-bad">{problem}</p>}
    </Fact>
  );
}

function TheirsBesideOurs({ orderId, theirs }: { orderId: string | null; theirs: Data }) {
  const { data: order } = useQuery({ ...orderQuery(orderId ?? ""), enabled: orderId !== null });
  return (
    <section aria-label="Differences">
      <Heading title="Differences" />
      <Table label="Differences">
        <thead>
          <tr>
            <Th>Field</Th>
            <Th>Order</Th>
            <Th>Source</Th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(theirs).map(([name, value]) => (
            <tr key={name}>
              <Td className="align-top text-muted">{sentence(name)}</Td>
              <Td className="align-top">{order ? oursText((order as Data)[name]) : "…"}</Td>
              <Td className="align-top font-medium">{oursText(value)}</Td>
            </tr>
          ))}
        </tbody>
      </Table>
    </section>
  );
}

const addressOrder = ["name", "company", "address1", "address2", "city", "provinceCode", "zip", "countryCode"];

/** Addresses in full, because readers look for the part that differs. */
function oursText(value: unknown): string {
  if (!isData(value)) return valueText(value);
  const names = [...addressOrder, ...Object.keys(value).filter((name) => !addressOrder.includes(name))];
  const parts = names.map((name) => plainText(value[name])).filter((part) => part !== "");
  return parts.length > 0 ? parts.join(", ") : valueText(value);
}

function Shipments({ shipments }: { shipments: readonly Data[] }) {
  return (
    <section aria-label="Shipments">
      <Heading title="Shipments" />
      <Table label="Shipments">
        <tbody>
          {shipments.map((shipment, at) => (
            <tr key={at}>
              <Td className="font-mono text-sm">
                {valueText(shipment["trackingNumber"] ?? shipment["ref"] ?? shipment["id"])}
              </Td>
              <Td>{sentence(plainText(shipment["status"]))}</Td>
              <Td className="text-muted">
                {isData(shipment["error"]) ? plainText(shipment["error"]["message"]) : "–"}
              </Td>
            </tr>
          ))}
        </tbody>
      </Table>
    </section>
  );
}
