import { type JsonObject, listAt, numberAt, objectAt, textAt } from "../schema/json.ts";
import type { Store } from "../store/store.ts";

/** Where a webhook is called. */
export interface WebhookAddress {
  readonly url: URL;
  /** The name that its certificate is for, where the address has another. */
  readonly servername?: string;
}

/** `simulated`: nothing listens behind the Service, as its Pods are simulated. A text: why there is no address. */
export type Located = WebhookAddress | "simulated" | { readonly problem: string };

/** Of a WebhookClientConfig: its url, or what really stands behind its Service (apiserver pkg/util/webhook client.go). */
export function locateWebhook(
  store: Pick<Store, "get" | "list">,
  client: JsonObject | undefined,
  timeoutSeconds: number,
): Located {
  const written = textAt(client, "url");
  if (written !== "")
    return URL.canParse(written)
      ? { url: new URL(written) }
      : { problem: `Unparsable webhook URL: ${JSON.stringify(written)}` };
  const service = objectAt(client, "service");
  const namespace = textAt(service, "namespace");
  const name = textAt(service, "name");
  const port = numberAt(service, "port") ?? 443;
  const found = store.get("/services", namespace, name)?.object;
  const servername = `${name}.${namespace}.svc`;
  const path = textAt(service, "path").replace(/^\/?/, "/");
  const asked = `Post "https://${servername}:${port}${path}?timeout=${timeoutSeconds}s"`;
  if (found === undefined) return { problem: `${asked}: service ${JSON.stringify(name)} not found` };
  const at = (host: string, to: number): WebhookAddress => ({
    url: new URL(path, `https://${host.includes(":") ? `[${host}]` : host}:${to}`),
    servername,
  });
  const outside = textAt(found, "spec", "externalName");
  if (outside !== "") return at(outside, port);
  const named = listAt(found, "spec", "ports").find((one) => numberAt(one, "port") === port);
  if (named === undefined)
    return { problem: `${asked}: no service port ${port} found for service ${JSON.stringify(name)}` };
  const real = realEndpoint(store, { namespace, name, port: textAt(named, "name") });
  if (real !== undefined) return at(real.host, real.port);
  if (objectAt(found, "spec", "selector") !== undefined) return "simulated";
  return { problem: `${asked}: no endpoints available for service ${JSON.stringify(name)}` };
}

interface OfService {
  namespace: string;
  name: string;
  /** The name of the Service's port. */
  port: string;
}

/** An endpoint that is no Pod: those of Pods are addresses of the simulation. */
function realEndpoint(
  store: Pick<Store, "list">,
  { namespace, name, port }: OfService,
): { host: string; port: number } | undefined {
  for (const { object } of store.list("discovery.k8s.io/endpointslices", namespace)) {
    if (object.metadata.labels?.["kubernetes.io/service-name"] !== name) continue;
    const to = listAt(object, "ports").find((one) => textAt(one, "name") === port);
    const endpoint = listAt(object, "endpoints").find(
      (one) => textAt(one, "targetRef", "kind") !== "Pod" && listAt(one, "addresses").length > 0,
    );
    const number = numberAt(to, "port");
    if (endpoint !== undefined && number !== undefined)
      return { host: String(listAt(endpoint, "addresses")[0]), port: number };
  }
  return undefined;
}
