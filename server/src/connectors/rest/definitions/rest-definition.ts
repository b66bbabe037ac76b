import type { RestCredentials } from "../rest-auth.schemas.ts";
import type { RestSettings } from "../rest.schemas.ts";

/**
 * Everything to connect one system with the connector `rest`, as data: a user enters the asked values, and the installation
 * creates the bridge, its transformations and schedules.
 */
export type RestDefinition = {
  /** Lower case, permanent: part of a path of the API. */
  name: string;
  title: string;
  description: string;
  /** The document about this system, such as docs/connect/vendure.md. */
  docs: string;
  /** What the account or token must be allowed to do at the vendor's side, as a sentence. */
  requiredScopes: string;
  variables: readonly AskedVariable[];
  credentials: readonly AskedCredential[];
  /**
   * The settings of the bridge. `{{settings.name}}` in `baseUrl` and `auth` is filled in at installation; everywhere else it is
   * filled in for each request. The asked variables are stored in `variables`.
   */
  settings: RestSettings;
  transformations: readonly DefinedTransformation[];
  /** Proposed schedules, created if the user asks for them. */
  schedules: readonly DefinedSchedule[];
};

/** A value that is not secret, stored in the variables of the bridge. */
export type AskedVariable = {
  name: string;
  label: string;
  description?: string;
  example: string;
  /** Used if the user enters nothing; a variable without one is required. It may be empty: an empty header is not sent. */
  default?: string | number;
  /** `url`: an https URL without a slash at its end. Default: text. */
  format?: "url" | "number";
  /** A regular expression for the whole value. */
  pattern?: string;
};

/** A member of the credentials; `headers.x-api-key` is one of the secret headers. */
type AskedCredential = {
  name: Exclude<keyof typeof RestCredentials.properties, "headers"> | `headers.${string}`;
  label: string;
  description?: string;
  /** Whether a form hides what is typed; all credentials are stored encrypted. */
  secret: boolean;
  isOptional?: boolean;
};

type DefinedTransformation = {
  taskName: string;
  direction: "inbound" | "outbound";
  /** Default: replace. */
  mode?: "extend" | "replace";
  /** As in docs/mapping.md; checked when it is installed, and by a test. */
  mappings: readonly DefinedMapping[];
};

export type DefinedMapping = { target: string } & Record<string, unknown>;

type DefinedSchedule = { taskName: string; cron: string; input?: Record<string, unknown> };
