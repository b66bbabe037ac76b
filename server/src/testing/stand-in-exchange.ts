import type { IncomingHttpHeaders } from "node:http";

export type ShopRequest = { method: string; url: URL; headers: IncomingHttpHeaders; body: string };
export type Reply = { status: number; headers?: Record<string, string>; body: unknown };
