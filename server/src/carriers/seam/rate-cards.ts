/** For a carrier whose prices come from the account's rate cards: prices a shipment by `tariff` of the call. */
export { rateShipment } from "../rate-card/rate-shipment.ts";
