import type { ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormatsModule from "ajv-formats";

type Response = { content: Record<string, { schema: object }> };
type Operation = { responses: Record<string, Response | { $ref: string }> };
type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: { responses: Record<string, Response> };
};

const addFormats = addFormatsModule as unknown as typeof addFormatsModule.default;

/** Throws if a response does not match the hub's OpenAPI document. */
export type OpenApiCheck = (method: string, url: string, status: number, type: string, body: unknown) => void;

const checks = new Map<string, Promise<OpenApiCheck>>();

/**
 * Hubs of one kind have the same document and share its compiled validators, since compiling takes longer than most test files.
 */
export async function openApiCheckOf(kind: string, url: string): Promise<OpenApiCheck> {
  const known = checks.getOrInsertComputed(kind, () => loadCheck(url));
  known.catch(() => checks.delete(kind));
  return await known;
}

async function loadCheck(url: string): Promise<OpenApiCheck> {
  const answer = await fetch(`${url}/openapi.json`);
  if (answer.status !== 200) throw new Error(`the OpenAPI document returned ${answer.status}`);
  return createOpenApiCheck((await answer.json()) as Document);
}

function createOpenApiCheck(document: Document): OpenApiCheck {
  // Most schemas are used a few times, so that optimizing the generated code does not pay.
  const code = { optimize: false };
  const ajv = addFormats(new Ajv2020({ strict: false, allErrors: true, inlineRefs: false, code }));
  ajv.addFormat("date-or-date-time", /^\d{4}-\d\d-\d\d(?:T\S+)?$/);
  // Registered as a whole, so that shared schemas such as problems are compiled once.
  ajv.addSchema({ $id: "openapi", ...document });
  const compiled = new Map<object, ValidateFunction>();
  // Grouped by length, since every response of every test is looked up; paths with most literal segments first.
  const patterns = Map.groupBy(
    Object.keys(document.paths)
      .map((path) => ({
        path,
        expression: new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
        literals: path.split("/").filter((part) => !part.startsWith("{")).length,
      }))
      .toSorted((a, b) => b.literals - a.literals),
    ({ path }) => path.split("/").length,
  );

  return (method, url, status, type, body) => {
    const path = url.split("?")[0]!;
    const match = patterns.get(path.split("/").length)?.find(({ expression }) => expression.test(path));
    const operation = match && document.paths[match.path]?.[method.toLowerCase()];
    // Unknown paths (404) and methods (405) are not documented; a 304 has no body.
    if (!operation || status === 304) return;
    const named = operation.responses[String(status)];
    if (!named) throw new Error(`${method} ${path} returned ${status}, which is not documented`);
    const shared = "$ref" in named ? named.$ref.slice("#/components/responses/".length) : undefined;
    const response = "$ref" in named ? document.components.responses[shared!]! : named;
    const contentType = type.split(";")[0]!;
    const content = response.content[contentType];
    if (!content)
      throw new Error(`${method} ${path} returned ${status} as ${type}, not ${Object.keys(response.content).join()}`);
    let validate = compiled.get(content.schema);
    if (!validate) {
      const own = ["paths", match.path, method.toLowerCase(), "responses", String(status)];
      const place = shared === undefined ? own : ["components", "responses", shared];
      const pointer = [...place, "content", contentType, "schema"].map(pointerPart).join("/");
      validate = ajv.compile({ $ref: `openapi#/${pointer}` });
      compiled.set(content.schema, validate);
    }
    if (!validate(body)) {
      throw new Error(
        `${method} ${path} ${status}: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(body).slice(0, 500)}`,
      );
    }
  };
}

function pointerPart(text: string): string {
  return encodeURIComponent(text.replaceAll("~", "~0").replaceAll("/", "~1"));
}
