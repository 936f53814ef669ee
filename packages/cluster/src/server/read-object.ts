import { parseBoundedJson, stringifyJson } from "@capstan/formats";
import { badRequest, invalid } from "../objects/failures.ts";
import type { Served } from "../registry/served.ts";
import { decodeProblems } from "../schema/decode.ts";
import { pruneUnknown } from "../schema/prune.ts";
import { ApiError, type ApiRequest, isRecord, type KubeObject } from "../types.ts";
import { repeatedFields, repeatedKeys } from "./repeated-fields.ts";
import { parseSentYaml } from "./sent-yaml.ts";

export const maxBodyCharacters = 3 * 1_048_576;

const bodyTypes = ["application/json", "application/yaml"];
/** Decoded before a request gets here (listen.ts). */
const protobufType = "application/vnd.kubernetes.protobuf";

export function mediaType(request: ApiRequest): string {
  return (request.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}

export function readBody({ body = "" }: ApiRequest): string {
  if (body.length > maxBodyCharacters)
    throw new ApiError(
      413,
      "RequestEntityTooLarge",
      `Request entity too large: limit is ${maxBodyCharacters}`,
    );
  return body;
}

/** The body as a document, by its content type. */
export function readDocument(request: ApiRequest, kind: string): unknown {
  const type = mediaType(request) || "application/json";
  if (!bodyTypes.includes(type))
    throw new ApiError(
      415,
      "UnsupportedMediaType",
      `the body of the request was in an unknown format - accepted media types include: ${[...bodyTypes, protobufType].join(", ")}`,
    );
  const text = readBody(request);
  try {
    return type === "application/yaml" ? parseSentYaml(text) : parseBoundedJson(text);
  } catch (error) {
    const shown = text === "" ? "<empty>" : text.length > 30 ? `${text.slice(0, 30)} ...` : text;
    throw badRequest(
      `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; json parse error: ${jsonFault(error, text)} (${shown})`,
    );
  }
}

/** encoding/json's words for the commonest fault: the text ends too early. */
export function jsonFault(error: unknown, text: string): string {
  const why = error instanceof Error ? error.message : String(error);
  const position = /at position (\d+)/.exec(why)?.[1];
  const atEnd = /^Unexpected end|^Unterminated/.test(why) || Number(position) >= text.length;
  if (atEnd) return "unexpected end of JSON input";
  const stray = /^Unexpected token '(.)'/.exec(why)?.[1];
  return stray !== undefined && text.trimStart().startsWith(stray)
    ? `invalid character '${stray}' looking for beginning of value`
    : why;
}

const inScheme = 'in scheme "pkg/runtime/scheme.go:111"';

/** The document as an object of the kind that is served here; apiVersion and kind may be left out. */
export function readObject(document: unknown, served: Served): KubeObject {
  const { kind } = served.info;
  if (!isRecord(document))
    throw badRequest(
      `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; json parse error: json: cannot unmarshal ${goType(document)} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" } (${Buffer.from(JSON.stringify(document ?? null)).toString("hex")})`,
    );
  const { apiVersion, kind: sentKind, metadata = {}, ...rest } = document;
  if (served.crd !== undefined) requireSelfDescription(served, document);
  const sentVersion = apiVersion || served.apiVersion;
  if (sentVersion !== served.apiVersion)
    throw badRequest(
      `${sentKind || kind} in version "${String(sentVersion).split("/").at(-1)}" cannot be handled as a ${kind}: no kind "${sentKind || kind}" is registered for version "${sentVersion}" ${inScheme}`,
    );
  if (sentKind && sentKind !== kind)
    throw badRequest(
      `${sentKind} in version "${served.info.version}" cannot be handled as a ${kind}: no kind "${sentKind}" is registered for version "${served.apiVersion}" ${inScheme}`,
    );
  if (metadata !== null && !isRecord(metadata)) throw undecodable(served, "metadata", metadata);
  return { apiVersion: served.apiVersion, kind, metadata: { ...metadata }, ...rest };
}

/** Only built-in kinds may leave out what the path says already. */
function requireSelfDescription({ info, apiVersion }: Served, document: Record<string, unknown>): void {
  if (!document.kind) {
    const text = stringifyJson(document);
    throw badRequest(
      `the object provided is unrecognized (must be of type ${info.kind}): Object 'Kind' is missing in '${text}' (${text.length > 30 ? `${text.slice(0, 30)} ...` : text})`,
    );
  }
  if (document.apiVersion !== apiVersion)
    throw badRequest(
      `the API version in the data (${document.apiVersion ?? ""}) does not match the expected API version (${apiVersion})`,
    );
  if (document.kind === info.kind) return;
  const { metadata } = document;
  const name = isRecord(metadata) && typeof metadata.name === "string" ? metadata.name : "";
  throw invalid({ group: info.group, kind: String(document.kind) }, name, [
    {
      reason: "FieldValueInvalid",
      field: "kind",
      message: `Invalid value: ${JSON.stringify(document.kind)}: must be ${info.kind}`,
    },
  ]);
}

function undecodable({ info }: Served, field: string, value: unknown): ApiError {
  return badRequest(
    `${info.kind} in version "${info.version}" cannot be handled as a ${info.kind}: json: cannot unmarshal ${goType(value)} into Go struct field ${info.kind}.${field} of type v1.ObjectMeta`,
  );
}

function goType(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}

export interface Pruned {
  object: KubeObject;
  warnings: readonly string[];
}

export interface Strictness {
  /** ?fieldValidation= */
  directive: string | null;
  /** What the document says twice, as the directive's problems word it. */
  repeated?: readonly string[];
  /** The object before a patch, where nothing in it is unknown. */
  fits?: KubeObject | undefined;
}

/** What Go could not decode is refused. Fields that the kind does not have are dropped; what is said about them is the client's choice (KEP-2885). */
export function decodeObject(served: Served, object: KubeObject, strictness: Strictness): Pruned {
  const { directive, repeated = [], fits } = strictness;
  const [undecodable] = decodeProblems(served.schema(), served.info, { object, fits });
  if (undecodable !== undefined) throw undecodable;
  const { object: pruned, unknown } = pruneUnknown(served.schema(), object, fits);
  const problems = [...unknown.map((path) => `unknown field "${path}"`), ...repeated];
  if (problems.length === 0 || directive === "Ignore") return { object: pruned, warnings: [] };
  if (directive === "Strict") {
    const { kind, version } = served.info;
    throw badRequest(
      `${kind} in version "${version}" cannot be handled as a ${kind}: strict decoding error: ${problems.join(", ")}`,
    );
  }
  return { object: pruned, warnings: problems };
}

/** Fields that the body has twice, as strict decoding words them. */
export function repeatedIn(request: ApiRequest): readonly string[] {
  const text = readBody(request);
  if (mediaType(request) !== "application/yaml")
    return repeatedFields(text).map(({ path }) => `duplicate field "${path}"`);
  const problem = repeatedKeys(text);
  return problem === undefined ? [] : [problem];
}
