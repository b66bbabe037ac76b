import { adminPassword } from "../../server/src/testing/launch-hub.ts";

/** Client of the hub's API that throws on any error response. */
export type HubClient = {
  headers: Record<string, string>;
  call<T>(method: string, path: string, body?: unknown): Promise<T>;
  get<T>(path: string): Promise<T>;
  post<T>(path: string, body: unknown): Promise<T>;
  /** The last message of a stream. */
  lastOf<T>(path: string): Promise<T>;
};

/** A client with an API key that has all scopes of the first administrator, and its organization. */
export async function signInWithKey(url: string, email = "admin@hub.local"): Promise<HubClient & { orgId: string }> {
  const anonymous = createClient(url, {});
  const credentials = { email, password: adminPassword };
  const { accessToken } = await anonymous.post<{ accessToken: string }>("/auth/token", credentials);
  const admin = createClient(url, { authorization: `Bearer ${accessToken}` });
  const { organization, scopes } = await admin.get<{ organization: { id: string }; scopes: string[] }>("/me");
  const { key } = await admin.post<{ key: string }>("/api-keys", { name: "bench", scopes });
  return { ...createClient(url, { authorization: `Bearer ${key}` }), orgId: organization.id };
}

function createClient(url: string, headers: Record<string, string>): HubClient {
  async function ask(method: string, path: string, body?: unknown): Promise<Response> {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: body === undefined ? headers : { ...headers, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
    return response;
  }
  async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
    return (await (await ask(method, path, body)).json()) as T;
  }
  return {
    headers,
    call,
    get: (path) => call("GET", path),
    post: (path, body) => call("POST", path, body),
    async lastOf<T>(path: string) {
      const lines = (await (await ask("GET", path)).text()).split("\n");
      const mark = "data: ";
      return JSON.parse(lines.findLast((line) => line.startsWith(mark))!.slice(mark.length)) as T;
    },
  };
}
