import { badRequest, conflict, invalid, notFound } from "../objects/failures.ts";
import { timestamp } from "../objects/world.ts";
import { loadBuiltins } from "../schema/catalog.ts";
import { type JsonObject, numberAt, objectAt, textAt } from "../schema/json.ts";
import type { Bound } from "../security/token-claims.ts";
import type { Entry } from "../store/entry.ts";
import { type ApiResponse, isRecord, type ManagedFieldsEntry } from "../types.ts";
import { answerJson } from "./answer.ts";
import type { Api } from "./api.ts";
import type { ResourceCall } from "./call.ts";
import { readBody, readDocument } from "./read-object.ts";
import { withOwners } from "./reviews.ts";

/** POST serviceaccounts/<name>/token (pkg/registry/core/serviceaccount/storage token.go TokenREST.Create). */
export function requestToken(api: Api, call: ResourceCall): Promise<ApiResponse> {
  const { served, namespace, name } = call;
  const body = readTokenRequest(call);
  return api.store.read(() => {
    const account = api.store.get(served.type, namespace, name);
    if (account === undefined) throw notFound(served.info, name);
    const lifetimeSeconds = readLifetime(body, name);
    const asked = objectAt(body, "spec")?.audiences;
    const audiences = Array.isArray(asked) && asked.length > 0 ? asked.map(String) : [api.tokens.audience];
    const reference = objectAt(body, "spec", "boundObjectRef");
    const bound = reference && findBound(api, account, reference);
    const grant = { lifetimeSeconds, audiences, ...(bound && { bound }) };
    const { token, expires } = api.tokens.issue(account.object, grant);
    const spec = { audiences, expirationSeconds: lifetimeSeconds, boundObjectRef: reference ?? null };
    const metadata = { name, namespace, uid: account.uid, creationTimestamp: timestamp(api.clock) };
    const owned = ownersOf(api, call, body);
    const status = { token, expirationTimestamp: timestamp(api.clock, expires - api.clock.now()) };
    return answerJson({ kind, apiVersion, metadata: { ...metadata, ...owned }, spec, status }, 201);
  });
}

const kind = "TokenRequest";
const group = "authentication.k8s.io";
const apiVersion = `${group}/v1`;

/** managedFields of what was sent, with the default life. */
function ownersOf(api: Api, call: ResourceCall, body: JsonObject): { managedFields?: ManagedFieldsEntry[] } {
  const schema = loadBuiltins().schemaFor({ group, version: "v1", kind });
  if (schema === undefined) return {};
  const sent = { expirationSeconds: 3_600, ...objectAt(body, "spec") };
  const object = { apiVersion, kind, metadata: { ...objectAt(body, "metadata") }, spec: sent };
  const { managedFields } = withOwners(api, call, { object, schema }).metadata;
  return managedFields === undefined ? {} : { managedFields };
}

function readTokenRequest({ request }: ResourceCall): JsonObject {
  const body = readBody(request).trim() === "" ? {} : readDocument(request, kind);
  if (!isRecord(body)) throw badRequest(`${kind}: the body is not an object`);
  if (body.kind !== undefined && body.kind !== kind) {
    const version = textAt(body, "apiVersion");
    throw badRequest(
      `${body.kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: converting (${version}.${body.kind}) to (authentication.${kind}): unknown conversion`,
    );
  }
  return body;
}

const shortestSeconds = 600;
const longestSeconds = 2 ** 32;

/** pkg/apis/authentication/validation ValidateTokenRequest */
function readLifetime(body: JsonObject, account: string): number {
  const lifetime = numberAt(body, "spec", "expirationSeconds") ?? 3_600;
  const refuse = (name: string, field: string, why: string): never => {
    const cause = { reason: "FieldValueInvalid", field, message: `Invalid value: ${why}` };
    throw invalid({ group, kind }, name, [cause]);
  };
  const sent = textAt(body, "metadata", "name");
  if (sent !== "" && sent !== account)
    refuse(
      account,
      "metadata.name",
      `${JSON.stringify(sent)}: must match the service account name if specified`,
    );
  if (lifetime < shortestSeconds)
    refuse("", "spec.expirationSeconds", `${lifetime}: may not specify a duration less than 10 minutes`);
  if (lifetime > longestSeconds)
    refuse("", "spec.expirationSeconds", `${lifetime}: may not specify a duration larger than 2^32 seconds`);
  return lifetime;
}

const bindable: Readonly<Record<string, Bound["kind"]>> = { Pod: "Pod", Secret: "Secret", Node: "Node" };

function findBound(api: Api, account: Entry, reference: JsonObject): Bound {
  const wanted = bindable[textAt(reference, "kind")];
  const version = textAt(reference, "apiVersion");
  if (wanted === undefined || version.includes("/"))
    throw badRequest(
      `cannot bind token to object of type ${version.includes("/") ? version : `/${version}`}, Kind=${textAt(reference, "kind")}`,
    );
  const type = `/${wanted.toLowerCase()}s`;
  const name = textAt(reference, "name");
  const found = api.store.get(type, wanted === "Node" ? "" : account.namespace, name);
  const info = api.registry.byType(type)?.info;
  if (info === undefined) throw badRequest(`${wanted} is not served`);
  if (found === undefined) throw notFound(info, name);
  const uid = textAt(reference, "uid");
  if (uid !== "" && uid !== found.uid) {
    const why = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw conflict({ ...info, resource: wanted }, name, why);
  }
  if (wanted === "Pod" && textAt(found.object, "spec", "serviceAccountName") !== account.name)
    throw badRequest(
      `cannot bind token for serviceaccount ${JSON.stringify(account.name)} to pod running with different serviceaccount name.`,
    );
  const node = wanted === "Pod" ? textAt(found.object, "spec", "nodeName") : "";
  const nodeUid = node === "" ? undefined : api.store.get("/nodes", "", node)?.uid;
  const where = node === "" ? {} : { node: { name: node, ...(nodeUid && { uid: nodeUid }) } };
  return { kind: wanted, name, uid: found.uid, ...where };
}
