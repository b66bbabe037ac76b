import { expect, test } from "vitest";
import { maskFailure, maskFailuresWithin, maskPersonsWithin, maskTexts } from "./mask-person.ts";

const id = "0199f0a0-0000-7000-8000-000000000003";

test("personal data in foreign records is found by field names, and names of things are kept", () => {
  const shops = {
    customer: { first_name: "Ada", "Last Name": "Byron", id: 7 },
    shipping: { name: "Ada Byron", address_1: "12 Main Street", city: "Albany", postcode: "12207" },
    contactEmail: "ada@example.com",
    telephone: 15185550100,
    tel: 15185550100,
    contact_mobile_no: "0518 555 0100",
    buyer: "Ada Byron",
    phones: [{ phone: { number: "555 0100" } }],
    line_items: [{ name: "Mug", sku: "MUG-1", quantity: 2 }],
    shop: { name: "Byron Mugs" },
  };
  expect(maskPersonsWithin(shops)).toEqual({
    customer: { first_name: "***", "Last Name": "***", id: 7 },
    shipping: { name: "***", address_1: "***", city: "Albany", postcode: "12207" },
    contactEmail: "***",
    telephone: "***",
    tel: "***",
    contact_mobile_no: "***",
    buyer: "***",
    phones: [{ phone: { number: "***" } }],
    line_items: [{ name: "Mug", sku: "MUG-1", quantity: 2 }],
    shop: { name: "Byron Mugs" },
  });
});

test("in free text only short numbers and ids are kept", () => {
  expect(
    maskTexts({ to: "Ada", ids: [id], n: 1, call: 15185550100, orderId: 15185550100, is: true, none: null }),
  ).toEqual({
    to: "***",
    ids: [id],
    n: 1,
    call: "***",
    orderId: 15185550100,
    is: true,
    none: null,
  });
});

test("error messages of other systems are replaced, since they may quote personal data", () => {
  const said = { code: "rejected", message: "The other system rejected the request. (422: Ada is unknown)" };
  expect(maskFailure(said)).toEqual({ code: "rejected", message: "The other system rejected the request." });
  expect(maskFailure({ code: "shop_closed", message: "Ada is unknown" })).toEqual({
    code: "shop_closed",
    message: "***",
  });
  const ours = { code: "worker_lost", message: "The worker that ran the task stopped responding." };
  expect(maskFailure(ours)).toEqual(ours);
  expect(maskFailuresWithin({ orders: [{ id, error: said }], sent: 1 })).toEqual({
    orders: [{ id, error: maskFailure(said) }],
    sent: 1,
  });
});
