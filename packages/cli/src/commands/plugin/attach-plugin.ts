import { randomBytes } from "node:crypto";
import { connect } from "node:net";
import { hostname, userInfo } from "node:os";
import { createKubeClient, httpTransport, type KubeClient, openKubeconfig } from "@capstan/kube";
import { annotationKeys, labelKeys, type Manifest, messageOf, pluginTokenSecret } from "@capstan/model";
import { ExitError, type ServerCertificate } from "../../command.ts";
import type { Io } from "../../io.ts";
import type { ServedToo } from "./local-plugin.ts";

const managerLabel = "app.kubernetes.io/managed-by";
const manager = "capstan-plugin-dev";
const ownerAnnotation = "capstan.dev/attached-by";
const connectMs = 5_000;
const detachMs = 5_000;

export interface Attachment extends AsyncDisposable {
  /** Where the plugin must listen, and what it must show. */
  readonly served: ServedToo;
  /** Tells the cluster; gives namespace and name of the Service, which is gone when this is disposed. */
  register(plugin: string, address: string): Promise<string>;
}

export interface AttachOptions {
  kubeconfig: string;
  namespace: string;
  /** How the cluster reaches this machine, with or without a port; default as it shows to the cluster's API. */
  host: string | undefined;
  makeCertificate(host: string): Promise<ServerCertificate>;
  io: Io;
}

/** Makes a plugin of this machine one of a cluster's: an ExternalName Service that leads here. */
export async function openAttachment(options: AttachOptions): Promise<Attachment> {
  const { kubeconfig, namespace, io } = options;
  const { config } = await openKubeconfig(kubeconfig);
  const transport = httpTransport(config, { clock: io.clock, env: io.env });
  const kube = createKubeClient({ transport, userAgent: "capstan-cli", clock: io.clock });
  const [, given, port = "0"] = /^(.*?)(?::(\d+))?$/.exec(options.host ?? "") ?? [];
  const host = given || (await ownAddress(new URL(config.server)));
  const { authority, ...tls } = await options.makeCertificate(host);
  const token = randomBytes(32).toString("base64url");
  let registered: Manifest | undefined;
  let secret: Manifest | undefined;
  return {
    // A name may stand for any of this machine's addresses.
    served: { listen: `${given ? "0.0.0.0" : host}:${port}`, tls, token },
    async register(plugin, address) {
      const service = serviceOf(plugin, { namespace, host, port: portOf(address), authority });
      registered = await replaceOwn(kube, service, io.signal);
      secret = await replaceOwn(kube, tokenSecret(service, token), io.signal);
      return `${namespace}/${registered.metadata.name}`;
    },
    async [Symbol.asyncDispose]() {
      try {
        if (secret) await remove(kube, secret);
        if (registered) await remove(kube, registered);
      } catch (error) {
        const { name } = registered?.metadata ?? {};
        io.err(`the Service stays: kubectl -n ${namespace} delete service ${name} (${messageOf(error)})\n`);
      } finally {
        await transport[Symbol.asyncDispose]();
      }
    },
  };
}

/** The address that this machine has towards a server. */
function ownAddress({ hostname: host, port, protocol }: URL): Promise<string> {
  const fallback = protocol === "http:" ? 80 : 443;
  return new Promise((found, fail) => {
    const socket = connect({ host: host.replace(/^\[|\]$/g, ""), port: Number(port) || fallback });
    socket.setTimeout(connectMs, () => socket.destroy(new Error(`${host} does not answer`)));
    socket.once("error", fail);
    socket.once("connect", () => {
      const address = socket.localAddress ?? "";
      socket.destroy();
      if (/^[\d.]+$/.test(address)) found(address);
      else fail(new ExitError(`name this machine as the cluster knows it: --attach-host (${address})`, 20));
    });
  });
}

function portOf(address: string): number {
  return Number(address.slice(address.lastIndexOf(":") + 1));
}

function serviceOf(
  plugin: string,
  { namespace, host, port, authority }: { namespace: string; host: string; port: number; authority: string },
): Manifest {
  const name = `dev-${plugin.replace(/[^a-z0-9-]/g, "-")}`.slice(0, 63).replace(/-+$/, "");
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: {
      name,
      namespace,
      labels: { [labelKeys.plugin]: "true", [managerLabel]: manager },
      annotations: {
        [annotationKeys.pluginAuthority]: authority,
        [ownerAnnotation]: `${userInfo().username}@${hostname()}`,
      },
    },
    spec: { type: "ExternalName", externalName: host, ports: [{ name: "plugin", port }] },
  };
}

/** Where Capstan finds what it must send to the plugin. */
function tokenSecret({ metadata }: Manifest, token: string): Manifest {
  const { name = "", namespace = "", labels, annotations } = metadata;
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      name: pluginTokenSecret(name),
      namespace,
      labels: { [managerLabel]: labels?.[managerLabel] ?? "", [labelKeys.secretType]: "plugin-token" },
      annotations: { [ownerAnnotation]: annotations?.[ownerAnnotation] ?? "" },
    },
    stringData: { token },
  };
}

/** What an earlier run of the same person left is replaced; nothing else is. */
async function replaceOwn(kube: KubeClient, service: Manifest, signal: AbortSignal): Promise<Manifest> {
  const there = await kube.get(refOf(service), signal);
  if (!there) return kube.create(service, { signal });
  const { labels, annotations } = there.metadata;
  const by = annotations?.[ownerAnnotation];
  if (labels?.[managerLabel] === manager && by === service.metadata.annotations?.[ownerAnnotation]) {
    await remove(kube, there);
    return kube.create(service, { signal });
  }
  const { namespace, name } = service.metadata;
  throw new ExitError(
    `${service.kind} ${namespace}/${name} is there already${by === undefined ? "" : `, attached by ${by}`}`,
    20,
  );
}

/** Also when the command has been interrupted. */
async function remove(kube: KubeClient, service: Manifest): Promise<void> {
  const { uid } = service.metadata;
  const signal = AbortSignal.timeout(detachMs);
  await kube.delete(refOf(service), { signal, ...(typeof uid === "string" ? { uid } : {}) });
}

function refOf({ metadata: { namespace = "", name = "" } }: Manifest) {
  return { apiVersion: "v1", kind: "Service", namespace, name };
}
