import type { AskedVariable, RestDefinition } from "../../connectors/rest/definitions/rest-definition.ts";
import type { RestSettings } from "../../connectors/rest/rest.schemas.ts";
import type { FieldError } from "../../core/errors.ts";
import { alternatives } from "../../core/nearest.ts";
import { isOnePlaceholder, parseTemplate } from "../../core/template.ts";
import type { InstallRequest } from "./bridge-definitions.schemas.ts";

type Variables = Record<string, string | number>;

export type FilledDefinition = { settings: RestSettings; credentials: Record<string, unknown> };

/** The settings and credentials of a new bridge, or what is wrong with the given values. */
export function fillDefinition(definition: RestDefinition, request: InstallRequest): FilledDefinition | FieldError[] {
  const { variables, errors } = readVariables(definition, request.variables ?? {});
  const wrong = [...errors, ...credentialErrors(definition, request.credentials ?? {})];
  if (wrong.length > 0) return wrong;
  const { settings } = definition;
  return {
    settings: {
      ...settings,
      baseUrl: fill(settings.baseUrl, variables) as string,
      ...(settings.auth ? { auth: fill(settings.auth, variables) as RestSettings["auth"] } : {}),
      variables: { ...settings.variables, ...variables },
    },
    credentials: nest(request.credentials ?? {}),
  };
}

function readVariables(definition: RestDefinition, given: Variables) {
  const asked = definition.variables;
  const variables: Variables = {};
  const errors = unknownNames("/variables", Object.keys(given), asked);
  for (const variable of asked) {
    const value = Object.hasOwn(given, variable.name) ? given[variable.name]! : variable.default;
    const isMissing = value === undefined || (value === "" && variable.default !== "");
    const read = isMissing ? missing(variable) : readValue(variable, value);
    if (typeof read === "object") errors.push({ pointer: `/variables/${variable.name}`, ...read });
    else variables[variable.name] = read;
  }
  return { variables, errors };
}

type Wrong = { code: string; message: string };

function missing({ label, example }: AskedVariable): Wrong {
  return { code: "required", message: `Enter the value of "${label}", such as ${example}.` };
}

function readValue(
  { label, example, format, pattern }: AskedVariable,
  value: string | number,
): string | number | Wrong {
  const text = String(value).trim();
  if (pattern !== undefined && !new RegExp(`^(?:${pattern})$`, "u").test(text)) {
    return { code: "pattern", message: `"${label}" does not have the expected form, such as ${example}.` };
  }
  if (format === "url") {
    const message = `"${label}" must be a URL, such as ${example}.`;
    return URL.canParse(text) ? text.replace(/\/+$/, "") : { code: "invalid_url", message };
  }
  if (format !== "number") return text;
  const number = Number(text);
  return text === "" || !Number.isFinite(number)
    ? { code: "type", message: `"${label}" must be a number, such as ${example}.` }
    : number;
}

function credentialErrors(definition: RestDefinition, given: Record<string, string>): FieldError[] {
  const missing = definition.credentials.filter(({ name, isOptional }) => !isOptional && (given[name] ?? "") === "");
  return [
    ...unknownNames("/credentials", Object.keys(given), definition.credentials),
    ...missing.map(({ name, label }) => ({
      pointer: `/credentials/${name}`,
      code: "required",
      message: `Enter the value of "${label}".`,
    })),
  ];
}

function unknownNames(pointer: string, names: string[], asked: readonly { name: string }[]): FieldError[] {
  const allowed = asked.map(({ name }) => name);
  return names
    .filter((name) => !allowed.includes(name))
    .map((name) => ({
      pointer: `${pointer}/${name}`,
      code: "unknown_field",
      message: "The definition asks for no such value.",
      ...alternatives(name, allowed),
    }));
}

/** `headers.x-api-key` becomes a member of `headers`. Empty values are left out. */
function nest(given: Record<string, string>): Record<string, unknown> {
  const entries = Object.entries(given).filter(([, value]) => value !== "");
  const headers = entries
    .filter(([name]) => name.startsWith("headers."))
    .map(([name, value]) => [name.slice("headers.".length), value]);
  const plain = entries.filter(([name]) => !name.startsWith("headers."));
  return { ...Object.fromEntries(plain), ...(headers.length > 0 ? { headers: Object.fromEntries(headers) } : {}) };
}

/** Fills in `{{settings.name}}`; a text that is one placeholder keeps the type of its value. */
function fill(template: unknown, variables: Variables): unknown {
  if (typeof template === "object" && template !== null && !Array.isArray(template)) {
    return Object.fromEntries(Object.entries(template).map(([name, value]) => [name, fill(value, variables)]));
  }
  if (typeof template !== "string") return template;
  const values = parseTemplate(template).map((part) =>
    typeof part === "string" ? part : (variables[nameIn(part)] ?? ""),
  );
  return isOnePlaceholder(template) ? values[0] : values.join("");
}

function nameIn({ path }: { path: string }): string {
  return path.replace(/^settings\./, "");
}

/** The request has no settings: an error in one is about a variable that fills it. */
export function pointToVariable({ settings }: RestDefinition, error: FieldError): FieldError {
  const header = /^\/credentials\/headers\/(.+)$/.exec(error.pointer);
  if (header) return { ...error, pointer: `/credentials/headers.${header[1]!}` };
  const template = error.pointer
    .split("/")
    .slice(2)
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], settings);
  const part =
    typeof template === "string" ? parseTemplate(template).find((one) => typeof one === "object") : undefined;
  return typeof part === "object" ? { ...error, pointer: `/variables/${nameIn(part)}` } : error;
}
