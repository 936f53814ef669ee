import type { RemoteTrust } from "@capstan/model";
import { problemOfCertificates, readKnownHost } from "./certificate-texts.ts";
import type { ValueReader } from "./read-values.ts";

/** ConfigMap argocd-tls-certs-cm, of which each key is a host, without its port; and the key of argocd-ssh-known-hosts-cm. */
export const knownHostsKey = "ssh_known_hosts";

interface Maps {
  certificates: { texts: Readonly<Record<string, string>>; reader: ValueReader };
  hosts: { texts: Readonly<Record<string, string>>; reader: ValueReader };
}

/** Where the certificates of a host have become unreadable, those of before stay in force. */
export function readTrust({ certificates, hosts }: Maps, previous: RemoteTrust | undefined): RemoteTrust {
  const authorities: Record<string, string> = {};
  for (const [key, text] of Object.entries(certificates.texts)) {
    const host = key.toLowerCase();
    const problem = text.trim() === "" ? undefined : problemOfCertificates(text);
    if (text.trim() !== "" && problem === undefined) authorities[host] = text;
    if (problem === undefined) continue;
    const before =
      previous && Object.hasOwn(previous.authorities, host) ? previous.authorities[host] : undefined;
    const follows =
      before === undefined
        ? "the authorities of the machine count"
        : "the certificates of before stay in force";
    certificates.reader.problem(key, `${problem}; ${follows}`);
    if (before !== undefined) authorities[host] = before;
  }
  return { authorities, knownHosts: readHosts(hosts, previous?.knownHosts ?? []) };
}

/** The same list while the text is the same: who looks hosts up has ordered it. */
function readHosts({ texts, reader }: Maps["hosts"], previous: readonly string[]): readonly string[] {
  const lines = (texts[knownHostsKey] ?? "").split(/\r?\n/).map((line) => line.trim());
  const known = lines.filter((line) => readKnownHost(line) !== undefined);
  const bad = lines.findIndex((line) => line !== "" && !line.startsWith("#") && !readKnownHost(line));
  if (bad >= 0)
    reader.problem(
      knownHostsKey,
      `line ${bad + 1} is left out: it is not HOST TYPE KEY, with one blank between`,
    );
  const isSame = known.length === previous.length && known.every((line, at) => line === previous[at]);
  return isSame ? previous : known;
}
