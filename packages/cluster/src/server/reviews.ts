import { badRequest, invalid } from "../objects/failures.ts";
import { timestamp } from "../objects/world.ts";
import { trackUpdate } from "../schema/apply.ts";
import type { ResolvedSchema } from "../schema/catalog.ts";
import { isObject, type JsonObject, objectAt, textAt } from "../schema/json.ts";
import { mayDoAnything } from "../security/rbac.ts";
import type { User } from "../security/user.ts";
import type { ApiError, ApiResponse, KubeObject } from "../types.ts";
import { answerJson } from "./answer.ts";
import type { Api } from "./api.ts";
import type { ResourceCall } from "./call.ts";
import { notAcceptable } from "./negotiate.ts";
import { decodeObject, readDocument, readObject } from "./read-object.ts";
import { listRules } from "./rules-review.ts";
import { readWriteOptions } from "./write-options.ts";

type Review = (api: Api, call: ResourceCall, body: JsonObject) => Record<string, unknown>;

const reviews: Record<string, Review> = {
  selfsubjectaccessreviews: (api, { user }, body) => {
    requireBareMetadata(body);
    return { spec: body.spec, status: judge(api, user, body) };
  },
  subjectaccessreviews: (api, _call, body) => {
    requireBareMetadata(body);
    return { spec: body.spec, status: judge(api, readSubject(body), body) };
  },
  localsubjectaccessreviews: (api, call, body) => {
    requireOwnNamespace(call, body);
    return { spec: body.spec, status: judge(api, readSubject(body), body) };
  },
  selfsubjectrulesreviews: (api, { user }, body) => {
    const namespace = textAt(body, "spec", "namespace");
    if (namespace === "") throw badRequest("no namespace on request");
    return { spec: {}, status: listRules(api.rbac, user, namespace) };
  },
  selfsubjectreviews: (api, { user }) => ({
    metadata: { creationTimestamp: timestamp(api.clock) },
    status: { userInfo: user },
  }),
  tokenreviews: (api, _call, body) => ({ spec: body.spec, status: reviewToken(api, body) }),
};

/** The kinds of authentication.k8s.io and authorization.k8s.io: answered, never stored. */
export function serveReview(api: Api, call: ResourceCall): ApiResponse | undefined {
  const { info, apiVersion } = call.served;
  const review = info.group.endsWith(".k8s.io") ? reviews[info.resource] : undefined;
  if (review === undefined) return undefined;
  // They are no storage: nothing makes a table of them.
  if (call.representation.as !== "Object") throw notAcceptable();
  const sent = readDocument(call.request, info.kind);
  const { object } = decodeObject(call.served, readObject(sent, call.served), {
    directive: call.query.get("fieldValidation"),
  });
  const sentBody = { ...object, spec: isObject(object.spec) ? object.spec : {} };
  const body = withOwners(api, call, { object: sentBody, schema: call.served.schema() });
  return answerJson(
    { kind: info.kind, apiVersion, metadata: body.metadata, ...review(api, call, body) },
    201,
  );
}

interface Owned {
  object: KubeObject;
  schema: ResolvedSchema;
}

/** Even what is never stored says who wrote which of its fields. */
export function withOwners(api: Api, call: ResourceCall, { object, schema }: Owned): KubeObject {
  const { manager, subresource } = readWriteOptions(call, "CreateOptions");
  const time = timestamp(api.clock);
  const part = subresource && { subresource };
  return trackUpdate({ schema, before: undefined, after: object, manager, time, ...part });
}

function judge(api: Api, user: User, body: JsonObject): Record<string, unknown> {
  const resource = objectAt(body, "spec", "resourceAttributes");
  const other = objectAt(body, "spec", "nonResourceAttributes");
  requireOneKind(resource, other);
  const { allowed, reason } = api.rbac.authorize({
    user,
    verb: textAt(resource ?? other, "verb"),
    group: textAt(resource, "group"),
    resource: textAt(resource, "resource"),
    subresource: textAt(resource, "subresource"),
    namespace: textAt(resource, "namespace"),
    name: textAt(resource, "name"),
    path: textAt(other, "path"),
  });
  return { allowed, ...(reason && { reason }) };
}

function requireOneKind(resource: JsonObject | undefined, other: JsonObject | undefined): void {
  if (resource === undefined && other === undefined)
    throw refused(
      "spec.resourceAttributes",
      "null",
      "exactly one of nonResourceAttributes or resourceAttributes must be specified",
    );
  if (resource !== undefined && other !== undefined)
    throw refused(
      "spec.nonResourceAttributes",
      goAttributes(other),
      "cannot be specified in combination with resourceAttributes",
    );
}

function goAttributes(other: JsonObject): string {
  return JSON.stringify({ Path: textAt(other, "path"), Verb: textAt(other, "verb") });
}

/** pkg/apis/authorization/validation: these kinds are refused without a name of their kind. */
function refused(field: string, value: string, why: string): ApiError {
  const message = `Invalid value: ${value}: ${why}`;
  return invalid({ group: "authorization.k8s.io", kind: "" }, "", [
    { reason: "FieldValueInvalid", field, message },
  ]);
}

function requireBareMetadata({ metadata }: JsonObject): void {
  const { managedFields: _owners, ...sent } = isObject(metadata) ? metadata : {};
  // Older clients write a time that is not set as null.
  if (Object.values(sent).some((value) => value !== null))
    throw refused("metadata", JSON.stringify(metadata), "must be empty");
}

function requireOwnNamespace({ namespace }: ResourceCall, body: JsonObject): void {
  const other = objectAt(body, "spec", "nonResourceAttributes");
  const asked = textAt(body, "spec", "resourceAttributes", "namespace");
  if (other !== undefined)
    throw refused("spec.nonResourceAttributes", goAttributes(other), "disallowed on this kind of request");
  if (asked !== namespace)
    throw refused(
      "spec.resourceAttributes.namespace",
      JSON.stringify(asked),
      "must match metadata.namespace",
    );
}

function readSubject(body: JsonObject): User {
  const spec = objectAt(body, "spec") ?? {};
  const groups = Array.isArray(spec.groups) ? spec.groups.map(String) : [];
  const username = textAt(spec, "user");
  if (username === "" && groups.length === 0)
    throw refused("spec.user", '""', "at least one of user or group must be specified");
  return { username, groups };
}

function reviewToken(api: Api, body: JsonObject): Record<string, unknown> {
  const token = textAt(body, "spec", "token");
  if (token === "") throw badRequest("token is required for TokenReview in authentication");
  const asked = objectAt(body, "spec")?.audiences;
  const audiences = Array.isArray(asked) && asked.length > 0 ? asked.map(String) : undefined;
  const found = api.tokens.authenticate(token, audiences);
  if ("error" in found) return { user: {}, error: found.error };
  // The administrator's token is none of a service account: it is for whoever asks.
  const shown = mayDoAnything(found.user) ? (audiences ?? found.audiences) : found.audiences;
  return { authenticated: true, user: found.user, audiences: shown };
}
