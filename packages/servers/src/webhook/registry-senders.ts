import { isRecord, parseBoundedJson } from "@capstan/formats";
import { listAt, nameAt } from "./payload.ts";
import { headerOf, type WebhookRequest } from "./push-event.ts";

export type Query = Readonly<Record<string, unknown>>;

/** A registry whose webhooks are understood: `?type=` says which, as for argocd-image-updater. They sign nothing. */
export interface RegistrySender {
  readonly name: string;
  /** Key of argocd-secret below `webhook.`. */
  readonly secretKey: string;
  secretIn(headers: WebhookRequest["headers"], query: Query): string | undefined;
  /** The image that was pushed, HOST/PATH; nothing where something else is told. */
  readImage(payload: unknown, query: Query): string | undefined;
}

const inQuery: RegistrySender["secretIn"] = (_headers, { secret }) =>
  typeof secret === "string" ? secret : undefined;
/** Where a sender lets nobody set the address's end. */
const inQueryOrHeader: RegistrySender["secretIn"] = (headers, query) =>
  inQuery(headers, query) ?? headerOf(headers, "x-webhook-secret");
const inAuthorization: RegistrySender["secretIn"] = (headers) => headerOf(headers, "authorization");

export const registrySenders: Readonly<Record<string, RegistrySender>> = {
  "docker.io": {
    name: "Docker Hub",
    secretKey: "docker.secret",
    secretIn: inQuery,
    readImage: (payload) => under("docker.io", nameAt(payload, "repository", "repo_name")),
  },
  "quay.io": {
    name: "Quay",
    secretKey: "quay.secret",
    secretIn: inQuery,
    readImage: (payload) => nameAt(payload, "docker_url") ?? under("quay.io", nameAt(payload, "repository")),
  },
  harbor: {
    name: "Harbor",
    secretKey: "harbor.secret",
    secretIn: inAuthorization,
    readImage(payload) {
      if (nameAt(payload, "type") !== "PUSH_ARTIFACT") return undefined;
      const [first] = listAt(payload, "event_data", "resources");
      // With a scheme or without.
      const host = nameAt(first, "resource_url")
        ?.replace(/^https?:\/\//, "")
        .split("/")[0];
      return at(host, nameAt(payload, "event_data", "repository", "repo_full_name"));
    },
  },
  acr: {
    name: "Azure Container Registry",
    secretKey: "acr.secret",
    secretIn: inQuery,
    readImage(payload) {
      if (nameAt(payload, "action") !== "push") return undefined;
      return at(nameAt(payload, "request", "host"), nameAt(payload, "target", "repository"));
    },
  },
  "aliyun-acr": {
    name: "Alibaba Cloud Container Registry",
    secretKey: "aliyun-acr.secret",
    secretIn: inQuery,
    readImage(payload, { registry_url: host }) {
      const [namespace, name] = ["namespace", "name"].map((key) => nameAt(payload, "repository", key));
      const path =
        nameAt(payload, "repository", "repo_full_name") ??
        (namespace && name ? `${namespace}/${name}` : name);
      // An instance of one's own has another host, which the message does not tell.
      if (typeof host === "string" && host !== "") return at(host, path);
      const region = nameAt(payload, "repository", "region");
      return at(region && `registry.${region}.aliyuncs.com`, path);
    },
  },
  "artifact-registry": {
    name: "Google Artifact Registry",
    secretKey: "artifact-registry.secret",
    secretIn: inQuery,
    readImage(payload) {
      const told = unwrapped(payload);
      if ((nameAt(told, "action") ?? "INSERT") !== "INSERT") return undefined;
      const image = nameAt(told, "digest")?.replace(/@.*$|:[^:/]*$/, "") ?? "";
      return /^([\w-]+-docker\.pkg\.dev|([\w-]+\.)?gcr\.io)\/./.test(image) ? image : undefined;
    },
  },
  cloudevents: {
    name: "CloudEvents",
    secretKey: "cloudevents.secret",
    secretIn: inQueryOrHeader,
    readImage: readCloudEvent,
  },
};

/** What Pub/Sub pushes: the message in base64 within an envelope, or by itself. */
function unwrapped(payload: unknown): unknown {
  const data = isRecord(payload) && isRecord(payload.message) ? payload.message.data : undefined;
  if (typeof data !== "string") return payload;
  try {
    return parseBoundedJson(Buffer.from(data, "base64").toString("utf8"));
  } catch {
    return undefined;
  }
}

/** A push to ECR as EventBridge makes an event of it, or one of another registry that names it. */
function readCloudEvent(payload: unknown): string | undefined {
  const type = nameAt(payload, "type") ?? "";
  const source = nameAt(payload, "source") ?? "";
  const subject = /^([^:]+):/.exec(nameAt(payload, "subject") ?? "")?.[1];
  const path = nameAt(payload, "data", "repositoryName");
  if (nameAt(payload, "specversion") === undefined) return undefined;
  if (type.startsWith("com.amazon.ecr.")) {
    const [, region, owner] = /^(?:urn|arn):aws:ecr:([^:]+):([^:]+)/.exec(source) ?? [];
    const account = nameAt(payload, "data", "registryId") ?? owner;
    return at(region && `${account}.dkr.ecr.${region}.amazonaws.com`, path ?? subject);
  }
  if (!/container|image/.test(type)) return undefined;
  const host =
    nameAt(payload, "data", "registryUrl") ??
    nameAt(payload, "data", "registry") ??
    /^(?:https?:\/\/)?([^/]+\.[^/]+)/.exec(source)?.[1];
  return at(host, path ?? nameAt(payload, "data", "repository") ?? subject);
}

function at(host: string | undefined, path: string | undefined): string | undefined {
  return host && under(host.replace(/^https?:\/\//, "").replace(/\/$/, ""), path);
}

export function under(host: string, path: string | undefined): string | undefined {
  return path === undefined ? undefined : `${host}/${path}`;
}
