import type { RepositoryCertificate } from "@capstan/wire";
import type { HandlerOf } from "../../call.ts";
import { requireRight } from "../access/rights.ts";
import { fetchMap, writeMap } from "../config-maps.ts";
import {
  type CertificateNeeds,
  certificatesOf,
  hostLines,
  hostsMap,
  isAboutSsh,
  isAboutTls,
  isKeySelected,
  rightTo,
  type Selection,
  selectedPems,
  tlsMap,
  withHostLines,
} from "./certificate-maps.ts";

/** All that are selected; without a selection all there are (util/db/certificate.go RemoveRepoCertificates). */
export function deleteCertificates(context: CertificateNeeds): HandlerOf<"deleteCertificates"> {
  return async (selection, { user, signal }) => {
    requireRight(context.rights, user, rightTo("delete"));
    const keys = isAboutSsh(selection) ? await deleteKeys(context, selection, signal) : [];
    const pems = isAboutTls(selection) ? await deletePems(context, selection, signal) : [];
    return { metadata: {}, items: [...keys, ...pems] };
  };
}

async function deleteKeys(
  context: CertificateNeeds,
  selection: Selection,
  signal: AbortSignal,
): Promise<RepositoryCertificate[]> {
  const held = await fetchMap(context, hostsMap, signal);
  const removed: RepositoryCertificate[] = [];
  const kept: string[] = [];
  for (const { line, entry } of hostLines(held.data)) {
    if (!entry || !isKeySelected(selection, entry)) kept.push(line);
    else {
      const certData = Buffer.from(entry.key).toString("base64");
      removed.push({ serverName: entry.hosts, certType: "ssh", certSubType: entry.type, certData });
    }
  }
  if (removed.length > 0) await writeMap(context, held, { data: withHostLines(held.data, kept), signal });
  return removed;
}

async function deletePems(
  context: CertificateNeeds,
  selection: Selection,
  signal: AbortSignal,
): Promise<RepositoryCertificate[]> {
  const held = await fetchMap(context, tlsMap, signal);
  const selected = selectedPems(held.data, selection);
  const names = new Set(selected.map(([host]) => host));
  const left = Object.fromEntries(Object.entries(held.data).filter(([host]) => !names.has(host)));
  if (names.size > 0) await writeMap(context, held, { data: left, signal });
  return selected.flatMap(([host, text]) => certificatesOf(host, text));
}
