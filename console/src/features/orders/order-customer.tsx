import type { Address, Order } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { paths } from "../../app/paths.ts";
import { missingScope, useMe } from "../../live/me.ts";
import type { RecordForm } from "../../live/use-record-form.ts";
import { Badge } from "../../ui/badge.tsx";
import { CopyText } from "../../ui/copy-text.tsx";
import { formatMoney, plural, sentence } from "../../ui/format.ts";
import { Icon } from "../../ui/icons.tsx";
import { Link } from "../../ui/link.tsx";
import { loadPart } from "../../ui/load-part.ts";
import { Popover } from "../../ui/popover.tsx";
import { Switch } from "../../ui/switch.tsx";
import { TextField } from "../../ui/text-field.tsx";
import type { Tone } from "../../ui/tone.ts";
import { Time } from "../../ui/zone.tsx";
import { addressLines } from "./address-lines.pick.ts";
import { EditButton, EditInPlace } from "./edit-card.tsx";
import { OrderCard } from "./order-card.tsx";
import { customerQuery } from "./orders.queries.ts";
import { addressStatusName } from "./orders.text.ts";

const AddressCheck = lazy(
  loadPart(async () => ({ default: (await import("./order-address-check.tsx")).AddressCheck })),
);

type Edited = "customer" | "shippingAddress" | "billingAddress";

/** The customer with both addresses, each edited in place. */
export function OrderCustomer({ order }: { order: Order }) {
  const [edited, setEdited] = useState<Edited>();
  const done = (): void => setEdited(undefined);
  const { customer, shippingAddress, billingAddress } = order;
  return (
    <OrderCard
      title="Customer"
      actions={
        <>
          <History order={order} />
          {edited !== "customer" && <EditButton what="customer" onEdit={() => setEdited("customer")} />}
        </>
      }
    >
      {edited === "customer" ? (
        <EditContact order={order} onDone={done} />
      ) : (
        <ul className="flex flex-col gap-1">
          <li className="font-medium">{customer.name ?? <span className="text-muted">No name</span>}</li>
          {customer.email && (
            <li className="flex items-center gap-2 break-all">
              <Icon name="mail" /> {customer.email}
            </li>
          )}
          {customer.phone && (
            <li className="flex items-center gap-2">
              <Icon name="phone" /> {customer.phone}
            </li>
          )}
        </ul>
      )}
      <Section
        title="Ship to"
        note={shippingAddress && <AddressStatus status={order.addressStatus} />}
        address={shippingAddress}
        isEdited={edited === "shippingAddress"}
        onEdit={() => setEdited("shippingAddress")}
        check={
          shippingAddress && (
            <AddressCheck key={addressLines(shippingAddress).join()} order={order} address={shippingAddress} />
          )
        }
        form={<EditAddress order={order} field="shippingAddress" onDone={done} />}
      />
      <Section
        title="Bill to"
        address={billingAddress}
        same={isSamePlace(billingAddress, shippingAddress) ? "Same as ship to" : undefined}
        isEdited={edited === "billingAddress"}
        onEdit={() => setEdited("billingAddress")}
        form={<EditAddress order={order} field="billingAddress" onDone={done} />}
      />
    </OrderCard>
  );
}

/** How much the customer has ordered, and the latest orders. */
function History({ order }: { order: Order }) {
  const mayRead = !missingScope(useMe(), "pii:read");
  const { data } = useQuery({ ...customerQuery(order.id), enabled: mayRead });
  if (!data || data.orderCount < 2) return null;
  const spent = data.totalSpent.map(({ amount, currency }) => formatMoney(amount, currency)).join(", ");
  const others = data.orders.filter(({ id }) => id !== order.id);
  return (
    <Popover
      title="Orders of this customer"
      triggerClass="text-accent-text hover:underline"
      trigger={[plural(data.orderCount, "order"), spent].filter(Boolean).join(", ")}
    >
      <ul className="flex flex-col gap-1">
        {others.map(({ id, number, status, orderedAt, total, currency }) => (
          <li key={id} className="flex items-baseline gap-2">
            <Link href={paths.order(id)} className="font-mono text-accent-text hover:underline">
              {number}
            </Link>
            <span className="text-sm text-muted">
              {sentence(status)}, <Time at={orderedAt} />
            </span>
            <span className="ms-auto tabular-nums">{formatMoney(total, currency)}</span>
          </li>
        ))}
      </ul>
    </Popover>
  );
}

const isSamePlace = (one: Address | null, other: Address | null): boolean =>
  one !== null && other !== null && addressLines(one).join() === addressLines(other).join();

const statusTones: Record<string, Tone> = { valid: "ok", invalid: "bad" };

function AddressStatus({ status }: { status: Order["addressStatus"] }) {
  return <Badge tone={statusTones[status] ?? "skip"}>{addressStatusName(status)}</Badge>;
}

type SectionProps = {
  title: string;
  note?: React.ReactNode;
  address: Address | null;
  same?: string | undefined;
  isEdited: boolean;
  onEdit(): void;
  form: React.ReactNode;
  /** Below the address. */
  check?: React.ReactNode;
};

function Section({ title, note, address, same, isEdited, onEdit, form, check }: SectionProps) {
  const lines = address ? addressLines(address) : [];
  return (
    <section aria-label={title} className="mt-2.5 border-t border-line pt-2">
      <div className="flex min-h-6 items-center gap-2">
        <h3 className="text-sm text-muted">{title}</h3>
        {note}
        <span className="flex-1" />
        {lines.length > 0 && !isEdited && (
          <CopyText text={lines.join("\n")} label={`Copy ${title.toLowerCase()}`}>
            {""}
          </CopyText>
        )}
        {!isEdited && <EditButton what={title.toLowerCase()} onEdit={onEdit} />}
      </div>
      {isEdited ? (
        form
      ) : same ? (
        <p className="text-muted">{same}</p>
      ) : lines.length === 0 ? (
        <p className="text-muted">No address</p>
      ) : (
        <address className="break-words not-italic">
          {lines.map((line, at) => (
            <div key={at}>{line}</div>
          ))}
        </address>
      )}
      <Suspense>{!isEdited && check}</Suspense>
    </section>
  );
}

const contactParts = [
  ["name", "Name"],
  ["email", "E-mail"],
  ["phone", "Phone"],
] as const;
type Contact = Record<(typeof contactParts)[number][0], string>;

/** Emptied values are null, which removes them. */
const patchOf = <Part extends string>(change: Partial<Record<Part, string>>): Record<string, string | null> =>
  Object.fromEntries(Object.entries<string | undefined>(change).map(([name, value]) => [name, value?.trim() || null]));

function EditContact({ order, onDone }: { order: Order; onDone(): void }) {
  return (
    <EditInPlace<Contact>
      order={order}
      draftOf={({ customer }) => ({
        name: customer.name ?? "",
        email: customer.email ?? "",
        phone: customer.phone ?? "",
      })}
      patchOf={(change) => ({ customer: patchOf(change) })}
      names={Object.fromEntries(contactParts)}
      fields={contactParts.map(([part]) => `/customer/${part}`)}
      onDone={onDone}
    >
      {(form) =>
        contactParts.map(([part, label]) => (
          <TextField key={part} label={label} {...form.field(part, `/customer/${part}`)} autoComplete="off" />
        ))
      }
    </EditInPlace>
  );
}

const addressParts = [
  ["name", "Name"],
  ["company", "Company"],
  ["address1", "Address line 1"],
  ["address2", "Address line 2"],
  ["city", "City"],
  ["provinceCode", "State"],
  ["zip", "ZIP"],
  ["countryCode", "Country"],
  ["phone", "Phone"],
] as const;
type AddressDraft = Record<(typeof addressParts)[number][0], string> & { residential: boolean };

function EditAddress({
  order,
  field,
  onDone,
}: {
  order: Order;
  field: "shippingAddress" | "billingAddress";
  onDone(): void;
}) {
  const draftOf = (from: Order): AddressDraft => ({
    ...(Object.fromEntries(addressParts.map(([part]) => [part, from[field]?.[part] ?? ""])) as Omit<
      AddressDraft,
      "residential"
    >),
    residential: from[field]?.residential ?? false,
  });
  return (
    <EditInPlace<AddressDraft>
      order={order}
      draftOf={draftOf}
      patchOf={({ residential, ...texts }) => ({
        [field]: { ...patchOf(texts), ...(residential === undefined ? {} : { residential }) },
      })}
      names={{ ...Object.fromEntries(addressParts), residential: "Home address" }}
      fields={addressParts.map(([part]) => `/${field}/${part}`)}
      onDone={onDone}
    >
      {(form) => (
        <>
          <AddressFields form={form} field={field} />
          <p className="text-sm text-faint">Labels that were bought keep the address they were bought for.</p>
        </>
      )}
    </EditInPlace>
  );
}

function AddressFields({ form, field }: { form: RecordForm<AddressDraft>; field: string }) {
  const isWide = new Set<string>(["name", "company", "address1", "address2"]);
  return (
    <div className="grid grid-cols-2 gap-2">
      {addressParts.map(([part, label]) => (
        <div key={part} className={isWide.has(part) ? "col-span-2" : ""}>
          <TextField label={label} {...form.field(part, `/${field}/${part}`)} autoComplete="off" />
        </div>
      ))}
      <div className="col-span-2">
        <Switch
          label="Home address"
          isOn={form.draft.residential}
          onChange={(residential) => form.set({ residential })}
        />
      </div>
    </div>
  );
}
