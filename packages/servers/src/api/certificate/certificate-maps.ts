import { matchesPath } from "@capstan/formats";
import { knownHostsKey, readCertificates, readKnownHost } from "@capstan/kube";
import type { RepositoryCertificate } from "@capstan/wire";
import type { ApiContext } from "../context.ts";

export type CertificateNeeds = Pick<ApiContext, "kube" | "controlNamespace" | "rights">;

export const tlsMap = "argocd-tls-certs-cm";
export const hostsMap = "argocd-ssh-known-hosts-cm";

/** There are no projects for certificates: a policy has them for `*` (server/certificate). */
export const rightTo = (action: "get" | "create" | "delete") =>
  ({ resource: "certificates", action, object: "" }) as const;

export interface Selection {
  readonly hostNamePattern?: string | undefined;
  readonly certType?: string | undefined;
  readonly certSubType?: string | undefined;
}

/** `tls` is another word for https (util/db/certificate.go). */
export function isAboutTls({ certType = "" }: Selection): boolean {
  return ["", "*", "https", "tls"].includes(certType);
}

export function isAboutSsh({ certType = "" }: Selection): boolean {
  return ["", "*", "ssh"].includes(certType);
}

/** Go's filepath.Match, of which brackets mean themselves: `[host]:port`. */
function isHostSelected({ hostNamePattern = "" }: Selection, host: string): boolean {
  return hostNamePattern === "" || matchesPath(hostNamePattern.replace(/[[\]]/g, "\\$&"), host);
}

/** Whether a line of known hosts is of a host and a type that are selected. */
export function isKeySelected(
  selection: Selection,
  { hosts, type }: { hosts: string; type: string },
): boolean {
  const { certSubType = "" } = selection;
  return isHostSelected(selection, hosts) && ["", "*", type].includes(certSubType);
}

/** Of one host, as they are given back to who made or deleted them. */
export function certificatesOf(serverName: string, text: string): RepositoryCertificate[] {
  return readCertificates(text).map(({ pem }) => ({
    serverName,
    certType: "https",
    certData: Buffer.from(pem).toString("base64"),
  }));
}

/** Each line of the known hosts as it stands; `entry` where it is one. */
export function hostLines(data: Readonly<Record<string, string>>) {
  const text = data[knownHostsKey] ?? "";
  const lines = text === "" ? [] : text.replace(/\n$/, "").split("\n");
  return lines.map((line) => ({ line, entry: readKnownHost(line) }));
}

export function withHostLines(
  data: Readonly<Record<string, string>>,
  lines: readonly string[],
): Record<string, string> {
  return { ...data, [knownHostsKey]: lines.map((line) => `${line}\n`).join("") };
}

/** Certificates of the hosts that are selected, by host. */
export function selectedPems(
  data: Readonly<Record<string, string>>,
  selection: Selection,
): (readonly [string, string])[] {
  return Object.entries(data)
    .filter(([host]) => isHostSelected(selection, host))
    .sort(([left], [right]) => (left < right ? -1 : 1));
}
