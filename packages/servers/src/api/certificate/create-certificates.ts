import { fingerprintOf, problemOfCertificates } from "@capstan/kube";
import { CapstanError } from "@capstan/model";
import type { RepositoryCertificate } from "@capstan/wire";
import type { HandlerOf } from "../../call.ts";
import { requireRight } from "../access/rights.ts";
import { fetchMap, writeMap } from "../config-maps.ts";
import {
  type CertificateNeeds,
  certificatesOf,
  hostLines,
  hostsMap,
  rightTo,
  tlsMap,
  withHostLines,
} from "./certificate-maps.ts";

/** Several at once; none is written where one cannot be (util/db/certificate.go CreateRepoCertificate). */
export function createCertificates(context: CertificateNeeds): HandlerOf<"createCertificates"> {
  return async ({ certificates, upsert = false }, { user, signal }) => {
    requireRight(context.rights, user, rightTo("create"));
    const wanted = (certificates?.items ?? []).map(readWanted);
    const [tls, hosts] = await Promise.all([
      fetchMap(context, tlsMap, signal),
      fetchMap(context, hostsMap, signal),
    ]);
    const texts = { ...tls.data };
    const known = knownKeys(hosts.data);
    const created: RepositoryCertificate[] = [];
    const of = { ssh: false, https: false };
    for (const one of wanted) {
      const made = one.certType === "ssh" ? addKey(known, one, upsert) : addPem(texts, one, upsert);
      created.push(...made);
      if (made.length > 0) of[one.certType] = true;
    }
    if (of.ssh) await writeMap(context, hosts, { data: withHostLines(hosts.data, known.lines), signal });
    if (of.https) await writeMap(context, tls, { data: texts, signal });
    return { metadata: {}, items: created };
  };
}

interface Wanted {
  certType: "ssh" | "https";
  serverName: string;
  certSubType: string;
  text: string;
}

/** A host's name or address; no blank, comma or pattern: a line of known_hosts would mean others by it. */
const hostName = /^(?:[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?)*\.?$/i;
const inBrackets = /^\[(.*)\]:\d{1,5}$/;
const ipv6 = /^[0-9a-f:.]*:[0-9a-f:.]+$/i;

function readWanted(given: RepositoryCertificate, at: number): Wanted {
  const { serverName = "", certType = "", certSubType = "", certData = "" } = given;
  const invalid = (field: string, problem: string) =>
    new CapstanError({ code: "INVALID_ARGUMENT", field: `certificates.items[${at}].${field}`, problem });
  if (certType !== "ssh" && certType !== "https")
    throw invalid("certType", `unknown certificate type: ${certType.slice(0, 40)}; there are ssh and https`);
  const name = certType === "ssh" ? (inBrackets.exec(serverName)?.[1] ?? serverName) : serverName;
  // No map of texts can hold that one.
  const isKept = name !== "__proto__" && name.length <= 253;
  if (!isKept || !(hostName.test(name) || (certType === "ssh" && ipv6.test(name))))
    throw invalid("serverName", `invalid hostname in request: ${name.slice(0, 253)}`);
  const text = Buffer.from(certData, "base64").toString("utf8");
  if (certType === "https") {
    const problem = problemOfCertificates(text);
    if (problem !== undefined) throw invalid("certData", problem);
  } else if (
    /\s/.test(certSubType) ||
    /[\r\n]/.test(text.trim()) ||
    !fingerprintOf({ type: certSubType, key: text })
  ) {
    throw invalid("certData", `is not the key of a host of type ${certSubType.slice(0, 40) || "(none)"}`);
  }
  return { certType, serverName, certSubType, text: certType === "ssh" ? text.trim() : text };
}

interface KnownKeys {
  readonly lines: string[];
  /** Places in `lines` by host and type. */
  readonly at: Map<string, number>;
}

function knownKeys(data: Readonly<Record<string, string>>): KnownKeys {
  const lines: string[] = [];
  const at = new Map<string, number>();
  for (const { line, entry } of hostLines(data)) {
    const name = entry && `${entry.hosts} ${entry.type}`;
    if (name !== undefined && !at.has(name)) at.set(name, lines.length);
    lines.push(line);
  }
  return { lines, at };
}

/** Nothing where the same stands there already. */
function addKey({ lines, at }: KnownKeys, wanted: Wanted, upsert: boolean): RepositoryCertificate[] {
  const { serverName, certSubType, text } = wanted;
  const name = `${serverName} ${certSubType}`;
  const place = at.get(name) ?? lines.length;
  const before = lines[place];
  if (before?.trim() === `${name} ${text}`) return [];
  if (before !== undefined && !upsert) throw exists(`key for '${serverName}' (subtype: '${certSubType}')`);
  lines[place] = `${name} ${text}`;
  at.set(name, place);
  const certInfo = fingerprintOf({ type: certSubType, key: text }) ?? "";
  const certData = Buffer.from(text).toString("base64");
  return [{ serverName, certType: "ssh", certSubType, certData, certInfo }];
}

function addPem(texts: Record<string, string>, wanted: Wanted, upsert: boolean): RepositoryCertificate[] {
  const { serverName, text } = wanted;
  const before = Object.hasOwn(texts, serverName) ? texts[serverName] : undefined;
  if (before === text) return [];
  if (before !== undefined && !upsert) throw exists(`TLS certificate for server '${serverName}'`);
  texts[serverName] = text;
  return certificatesOf(serverName, text);
}

function exists(what: string): CapstanError {
  const problem = "already exists, and upsert was not specified";
  return new CapstanError({ code: "FAILED_PRECONDITION", what, problem });
}
