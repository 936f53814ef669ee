import { isRecord } from "@capstan/formats";
import {
  annotationKeys,
  groupOf,
  type LoadBalancerIngress,
  type Manifest,
  type ResourceNetworkingInfo,
  type ResourceRef,
} from "@capstan/model";
import { type Fields, fieldsAt, listAt, textOf } from "../health/health-rule.ts";
import { routedNetworking } from "./routed.ts";

const urlPrefix = "link.argocd.argoproj.io/";

/** Where traffic comes in and goes to (controller/cache/info.go). */
export function networkingOf(manifest: Manifest): ResourceNetworkingInfo | undefined {
  const group = groupOf(manifest.apiVersion);
  const info = kindNetworking(manifest, group);
  const links = linksOf(manifest);
  if (links.length === 0) return info;
  return { ...info, externalURLs: [...new Set([...links, ...(info?.externalURLs ?? [])])] };
}

function kindNetworking(manifest: Manifest, group: string): ResourceNetworkingInfo | undefined {
  const { kind, metadata } = manifest;
  if (group === "" && kind === "Pod")
    return metadata.labels === undefined ? undefined : { labels: metadata.labels };
  if (group === "" && kind === "Service") return serviceNetworking(manifest);
  if (kind === "Ingress" && (group === "networking.k8s.io" || group === "extensions")) {
    return ingressNetworking(manifest, group);
  }
  return routedNetworking(manifest, group);
}

function serviceNetworking(manifest: Manifest): ResourceNetworkingInfo {
  const selector = textsOf(fieldsAt(manifest, "spec", "selector"));
  const ingress = addressesOf(manifest);
  return {
    ...(Object.keys(selector).length === 0 ? {} : { targetLabels: selector }),
    ...(ingress.length === 0 ? {} : { ingress }),
  };
}

function ingressNetworking(manifest: Manifest, group: string): ResourceNetworkingInfo {
  const backends = [
    fieldsAt(manifest, "spec", "defaultBackend"),
    ...pathsOf(manifest).map(({ path }) => fieldsAt(path, "backend")),
  ];
  const names = new Set(
    backends
      .map((backend) => textOf(fieldsAt(backend, "service").name) || textOf(backend.serviceName))
      .filter((name) => name !== ""),
  );
  const namespace = manifest.metadata.namespace ?? "";
  const targetRefs: ResourceRef[] = [...names].map((name) => ({ kind: "Service", namespace, name }));
  const ingress = addressesOf(manifest);
  const externalURLs = ingressUrls(manifest, ingress);
  const isHidden = manifest.metadata.annotations?.[annotationKeys.ignoreDefaultLinks] === "true";
  return {
    ...(group === "" || targetRefs.length === 0 ? {} : { targetRefs }),
    ...(ingress.length === 0 ? {} : { ingress }),
    ...(isHidden || externalURLs.length === 0 ? {} : { externalURLs }),
  };
}

function pathsOf(manifest: Manifest): { host: string; path: Fields }[] {
  return listAt(manifest, "spec", "rules").flatMap((rule) =>
    listAt(rule, "http", "paths").map((path) => ({ host: textOf(rule.host), path })),
  );
}

function ingressUrls(manifest: Manifest, addresses: readonly LoadBalancerIngress[]): string[] {
  const secured = listAt(manifest, "spec", "tls");
  const securedHosts = new Set(
    secured.flatMap(({ hosts }) =>
      Array.isArray(hosts) ? hosts.filter((host) => typeof host === "string") : [],
    ),
  );
  const isSecured = (host: string): boolean =>
    securedHosts.has(host) || (secured.length > 0 && securedHosts.size === 0);
  const urls = new Set<string>();
  for (const { host, path } of pathsOf(manifest)) {
    const places = host === "" ? addresses.map(({ hostname, ip }) => hostname ?? ip ?? "") : [host];
    const suffix = textOf(path.path).replace(/\*.*$/, "").replace(/\/$/, "");
    for (const place of places) {
      if (place === "" || place.startsWith("*")) continue;
      urls.add(`${isSecured(host) ? "https" : "http"}://${place}${suffix}`);
    }
  }
  return [...urls].sort();
}

function addressesOf(manifest: Manifest): LoadBalancerIngress[] {
  return listAt(manifest, "status", "loadBalancer", "ingress").map(({ ip, hostname }) => ({
    ...(typeof ip === "string" ? { ip } : {}),
    ...(typeof hostname === "string" ? { hostname } : {}),
  }));
}

/** link.argocd.argoproj.io/<id>: a URL, or "Title|url". */
function linksOf({ metadata }: Manifest): string[] {
  return Object.entries(metadata.annotations ?? {})
    .filter(([key, value]) => key.startsWith(urlPrefix) && isSafeLink(value))
    .map(([, value]) => value);
}

/** Whether a browser may be sent to a link of a tenant's: `javascript:` would run in the page of whoever follows it. */
export function isSafeLink(link: string): boolean {
  return /^https?:\/\//i.test(link.slice(link.indexOf("|") + 1).trim());
}

function textsOf(fields: Fields): { [key: string]: string } {
  if (!isRecord(fields)) return {};
  return Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}
