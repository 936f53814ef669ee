import { randomUUID } from "node:crypto";
import type { Clock } from "@capstan/flow";
import type { User } from "../security/user.ts";
import type { ApiRequest, ApiResponse } from "../types.ts";
import type { RequestInfo } from "./request-info.ts";

/**
 * One request as kube-apiserver's audit log has it at level Metadata (audit.k8s.io/v1 Event): who asked, as whom, for
 * what, and how it ended.
 */
export interface AuditEvent {
  readonly kind: "Event";
  readonly apiVersion: "audit.k8s.io/v1";
  readonly level: "Metadata";
  readonly auditID: string;
  readonly stage: "ResponseComplete";
  readonly requestURI: string;
  readonly verb: string;
  readonly user: User;
  readonly impersonatedUser?: User;
  readonly userAgent?: string;
  readonly objectRef?: {
    readonly resource: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly apiGroup?: string;
  };
  readonly responseStatus: { readonly code: number };
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  /** The headers that ClusterOptions.audit names, as far as the request has them. */
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface AuditOptions {
  /** Called for each request when it has been answered; a watch when it begins. */
  write(event: AuditEvent): void;
  /** Annotation by the lower-case header that gives its value: what the callers say of themselves. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** What became of one request. */
export interface Audited {
  readonly request: ApiRequest;
  readonly user: User;
  /** Absent where the request failed before it was known. */
  readonly info?: RequestInfo;
  readonly actingAs?: User;
  readonly receivedAt: number;
  readonly response: ApiResponse;
}

export function auditEvent(audited: Audited, { annotations = {} }: AuditOptions, clock: Clock): AuditEvent {
  const { request, user, info, actingAs = user, receivedAt, response } = audited;
  const said = Object.entries(annotations).flatMap(([header, name]) => {
    const value = request.headers[header];
    return value === undefined ? [] : [[name, value] as const];
  });
  const userAgent = request.headers["user-agent"];
  return {
    kind: "Event",
    apiVersion: "audit.k8s.io/v1",
    level: "Metadata",
    auditID: randomUUID(),
    stage: "ResponseComplete",
    requestURI: request.url,
    verb: info?.verb ?? request.method.toLowerCase(),
    user,
    ...(actingAs === user ? {} : { impersonatedUser: actingAs }),
    ...(userAgent === undefined ? {} : { userAgent }),
    ...(info && info.resource !== "" ? { objectRef: objectOf(info, request) } : {}),
    responseStatus: { code: response.status },
    requestReceivedTimestamp: new Date(receivedAt).toISOString(),
    stageTimestamp: new Date(clock.now()).toISOString(),
    ...(said.length > 0 ? { annotations: Object.fromEntries(said) } : {}),
  };
}

function objectOf({ resource, subresource, namespace, name, group }: RequestInfo, request: ApiRequest) {
  const named = name || (request.method === "POST" ? nameIn(request.body) : "");
  return {
    resource,
    ...(subresource && { subresource }),
    ...(namespace && { namespace }),
    ...(named && { name: named }),
    ...(group && { apiGroup: group }),
  };
}

const mostNameBytes = 253;

/** A creation's name stands in its body only (apiserver pkg/audit LogRequestObject). */
function nameIn(body: ApiRequest["body"]): string {
  if (!body?.startsWith("{")) return "";
  try {
    const { metadata }: { metadata?: { name?: unknown } } = JSON.parse(body);
    return typeof metadata?.name === "string" ? metadata.name.slice(0, mostNameBytes) : "";
  } catch {
    return ""; // it was refused as what it is
  }
}
