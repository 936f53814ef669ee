import { fingerprintOf, readCertificates } from "@capstan/kube";
import type { RepositoryCertificate } from "@capstan/wire";
import type { HandlerOf } from "../../call.ts";
import { requireRight } from "../access/rights.ts";
import { fetchMap } from "../config-maps.ts";
import {
  type CertificateNeeds,
  hostLines,
  hostsMap,
  isAboutSsh,
  isAboutTls,
  isKeySelected,
  rightTo,
  selectedPems,
  tlsMap,
} from "./certificate-maps.ts";

/** What hosts are known by, without the keys themselves (util/db/certificate.go ListRepoCertificates). */
export function listCertificates(context: CertificateNeeds): HandlerOf<"listCertificates"> {
  return async (selection, { user, signal }) => {
    requireRight(context.rights, user, rightTo("get"));
    const items: RepositoryCertificate[] = [];
    if (isAboutSsh(selection)) {
      const { data } = await fetchMap(context, hostsMap, signal);
      for (const { entry } of hostLines(data)) {
        if (!entry || !isKeySelected(selection, entry)) continue;
        const certInfo = `SHA256:${fingerprintOf(entry) ?? ""}`;
        items.push({ serverName: entry.hosts, certType: "ssh", certSubType: entry.type, certInfo });
      }
    }
    if (isAboutTls(selection)) {
      const { data } = await fetchMap(context, tlsMap, signal);
      for (const [host, text] of selectedPems(data, selection)) items.push(...shown(host, text));
    }
    return { metadata: {}, items };
  };
}

function shown(serverName: string, text: string): RepositoryCertificate[] {
  return readCertificates(text).map((one) => {
    const of = { serverName, certType: "https" };
    if ("problem" in one) return { ...of, certSubType: "invalid", certInfo: one.problem };
    const { asymmetricKeyType = "" } = one.certificate.publicKey;
    const certSubType = algorithms[asymmetricKeyType] ?? asymmetricKeyType;
    return { ...of, certSubType, certInfo: distinguishedName(one.certificate.subject) };
  });
}

/** As Go's x509.PublicKeyAlgorithm says them, in small letters. */
const algorithms: Readonly<Record<string, string>> = { ec: "ecdsa" };

/** Node's `O=a\nCN=b` as Go's pkix.Name writes it: `CN=b,O=a` (RFC 2253 §2.1: the last comes first). */
function distinguishedName(subject: string | undefined): string {
  return (subject ?? "").split("\n").reverse().join(",");
}
