import { badRequest } from "../objects/failures.ts";
import { timestamp } from "../objects/world.ts";
import type { User } from "../security/user.ts";
import { type ApiResponse, isRecord } from "../types.ts";
import { answerJson } from "./answer.ts";
import type { Api } from "./api.ts";
import type { ResourceCall } from "./call.ts";
import { readDocument } from "./read-object.ts";

type Spec = Record<string, unknown>;
type Review = (api: Api, call: ResourceCall, spec: Spec) => Record<string, unknown>;

const reviews: Record<string, Review> = {
  selfsubjectaccessreviews: (api, { user }, spec) => ({ spec, status: judge(api, user, spec) }),
  subjectaccessreviews: (api, _call, spec) => ({ spec, status: judge(api, subject(spec), spec) }),
  localsubjectaccessreviews: (api, _call, spec) => ({ spec, status: judge(api, subject(spec), spec) }),
  selfsubjectrulesreviews: (api, { user }, spec) => ({ spec, status: rules(api, user) }),
  selfsubjectreviews: (api, { user }) => ({
    metadata: { creationTimestamp: timestamp(api.clock) },
    status: { userInfo: user },
  }),
  tokenreviews: (api, _call, spec) => ({ spec, status: reviewToken(api, spec) }),
};

/** The kinds of authentication.k8s.io and authorization.k8s.io: answered, never stored. */
export function serveReview(api: Api, call: ResourceCall): ApiResponse | undefined {
  const { info, apiVersion } = call.served;
  const review = info.group.endsWith(".k8s.io") ? reviews[info.resource] : undefined;
  if (review === undefined) return undefined;
  const body = readDocument(call.request, info.kind);
  if (!isRecord(body)) throw badRequest(`${info.kind}: the body is not an object`);
  const spec = isRecord(body.spec) ? body.spec : {};
  const metadata = isRecord(body.metadata) ? body.metadata : {};
  return answerJson({ kind: info.kind, apiVersion, metadata, ...review(api, call, spec) }, 201);
}

function judge(api: Api, user: User, spec: Spec): Record<string, unknown> {
  const resource = isRecord(spec.resourceAttributes) ? spec.resourceAttributes : undefined;
  const other = isRecord(spec.nonResourceAttributes) ? spec.nonResourceAttributes : undefined;
  if ((resource === undefined) === (other === undefined))
    throw badRequest("spec: exactly one of nonResourceAttributes or resourceAttributes must be specified");
  const { allowed, reason } = api.authorize({
    user,
    verb: text(resource?.verb ?? other?.verb),
    group: text(resource?.group),
    resource: text(resource?.resource),
    subresource: text(resource?.subresource),
    namespace: text(resource?.namespace),
    name: text(resource?.name),
    path: text(other?.path),
  });
  return { allowed, ...(reason && { reason }) };
}

function subject(spec: Spec): User {
  const groups = Array.isArray(spec.groups) ? spec.groups.map(String) : [];
  return { username: text(spec.user), groups };
}

function rules(api: Api, user: User): Record<string, unknown> {
  const everything = {
    verb: "*",
    group: "*",
    resource: "*",
    subresource: "",
    namespace: "",
    name: "",
    path: "",
  };
  const { allowed } = api.authorize({ user, ...everything });
  return {
    resourceRules: allowed ? [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }] : [],
    nonResourceRules: allowed ? [{ verbs: ["*"], nonResourceURLs: ["*"] }] : [],
    incomplete: false,
  };
}

function reviewToken(api: Api, spec: Spec): Record<string, unknown> {
  const user = api.tokens.authenticate(text(spec.token));
  if (user === undefined) return { user: {}, error: "invalid bearer token" };
  return { authenticated: true, user, audiences: [api.tokens.audience] };
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
