/** Prices from the account's rate card, for carriers whose own quotes are too few or too slow. */
export { rateShipment } from "../rate-card/rate-shipment.ts";
