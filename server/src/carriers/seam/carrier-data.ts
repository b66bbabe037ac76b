/**
 * The carrier's own IDs, tokens or versions, handed back to it in later calls about the same record. JSON of up to 16 KiB,
 * stored with the pickup, label or shipment. Opaque to the hub and never returned by the API.
 */
export type CarrierData = Record<string, unknown>;
