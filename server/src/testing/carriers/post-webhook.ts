/** Sends a webhook and returns the status. Refuses other hosts: an address in a test may name a real one. */
export async function postWebhook(url: string, headers: Record<string, string>, body: string): Promise<number> {
  const { hostname } = new URL(url);
  if (hostname !== "127.0.0.1" && hostname !== "localhost") {
    throw new Error(`Stand-ins send webhooks to loopback only, not to ${hostname}.`);
  }
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
    redirect: "manual",
  });
  await response.arrayBuffer();
  return response.status;
}
