import { qualifiedKind, qualifiedResource } from "../registry/served.ts";
import {
  ApiError,
  type FieldError,
  type KubeObject,
  type ObjectMeta,
  type ResourceInfo,
  type StatusDetails,
} from "../types.ts";

// The words are those of apimachinery's pkg/api/errors/errors.go: clients match on them.

export function details(info: ResourceInfo, name: string): StatusDetails {
  return { ...(name && { name }), ...(info.group && { group: info.group }), kind: info.resource };
}

export function notFound(info: ResourceInfo, name: string): ApiError {
  return new ApiError(404, "NotFound", `${qualifiedResource(info)} "${name}" not found`, details(info, name));
}

export function noSuchResource(): ApiError {
  return new ApiError(404, "NotFound", "the server could not find the requested resource", {});
}

export function alreadyExists(info: ResourceInfo, { metadata }: KubeObject, generateName = ""): ApiError {
  const { name = "", deletionTimestamp } = metadata;
  const leaving = deletionTimestamp === undefined ? "" : "object is being deleted: ";
  const message = `${leaving}${qualifiedResource(info)} "${name}" already exists`;
  if (generateName === "") return new ApiError(409, "AlreadyExists", message, details(info, name));
  const hint = `${message}, the server was not able to generate a unique name for the object`;
  return new ApiError(409, "AlreadyExists", hint, { ...details(info, name), retryAfterSeconds: 1 });
}

export function conflict(info: ResourceInfo, name: string, why: string = modified): ApiError {
  const message = `Operation cannot be fulfilled on ${qualifiedResource(info)} "${name}": ${why}`;
  return new ApiError(409, "Conflict", message, details(info, name));
}

/** A version that Go could not read as a number is refused in its parser's words. */
export function requireVersion({ resourceVersion = "" }: ObjectMeta): void {
  if (/^\d*$/.test(resourceVersion)) return;
  throw new ApiError(
    500,
    "",
    `strconv.ParseUint: parsing ${JSON.stringify(resourceVersion)}: invalid syntax`,
  );
}

const modified =
  "the object has been modified; please apply your changes to the latest version and try again";

/** Preconditions of a deletion are reported under the kind, not the resource (storage.Preconditions). */
export function preconditionFailed(info: ResourceInfo, name: string, why: string): ApiError {
  // Both groups that serve Events know them by the older one.
  const known = info.group === "events.k8s.io" ? { ...info, group: "" } : info;
  const message = `Operation cannot be fulfilled on ${qualifiedKind(known)} "${name}": ${why}`;
  return new ApiError(409, "Conflict", message, { ...details(known, name), kind: info.kind });
}

interface Named {
  info: ResourceInfo;
  name: string;
}

export function forbidden({ info, name }: Named, why: string, causes?: readonly FieldError[]): ApiError {
  const subject = name === "" ? qualifiedResource(info) : `${qualifiedResource(info)} "${name}"`;
  return new ApiError(403, "Forbidden", `${subject} is forbidden: ${why}`, {
    ...details(info, name),
    ...(causes && { causes }),
  });
}

export function invalid(
  info: { group: string; kind: string },
  name: string,
  causes: readonly FieldError[],
): ApiError {
  // Both groups that serve Events hold them to the rules of the older kind.
  const group = info.group === "events.k8s.io" ? "" : info.group;
  const kind = group === "" ? info.kind : `${info.kind}.${group}`;
  // Go's aggregate says each thing once; the causes keep what is said twice.
  const texts = [...new Set(causes.map(({ field, message }) => `${field}: ${message}`))];
  const text = texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`;
  return new ApiError(422, "Invalid", `${kind} "${name}" is invalid: ${text}`, {
    ...(name && { name }),
    ...(group && { group }),
    ...(info.kind && { kind: info.kind }),
    causes,
  });
}

export function invalidOption(options: string, cause: FieldError): ApiError {
  return invalid({ group: "meta.k8s.io", kind: options }, "", [cause]);
}

export function badRequest(message: string): ApiError {
  return new ApiError(400, "BadRequest", message);
}

export function methodNotAllowed(): ApiError {
  const message = "the server does not allow this method on the requested resource";
  return new ApiError(405, "MethodNotAllowed", message, {});
}

export function expired(message: string): ApiError {
  return new ApiError(410, "Expired", message);
}
