/** For answers that are data. Pages set their own content policy over this one. */
export const securityHeaders = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
} as const;

/** A year, for the host alone: what else there is under its domain is not for the hub to say. */
export const transportSecurity = { "strict-transport-security": "max-age=31536000" } as const;
