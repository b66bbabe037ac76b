/** A shop with a phone number, and a customer without one. */
export const hubGoods = {
  company: "Hub Goods",
  name: "Sam Shipper",
  address1: "1 Dock Road",
  city: "Newark",
  provinceCode: "NJ",
  zip: "07102",
  countryCode: "US",
  phone: "+1 (973) 555-0100",
};
export const leeReader = {
  name: "Lee Reader",
  address1: "12 Main St",
  address2: "Apt 4",
  city: "Albany",
  provinceCode: "NY",
  zip: "12207-1234",
  countryCode: "US",
};
