import { labelKeys, type Manifest } from "@capstan/model";
import { textsIn } from "../read-json.ts";
import { readClusterSecret } from "./clusters.ts";
import { findNotHonoured } from "./find-not-honoured.ts";
import { keepLastGood } from "./keep-last-good.ts";
import { readDex } from "./read-dex.ts";
import { readExtensions } from "./read-extensions.ts";
import { readGeneral, readRbac, readSyncTimes } from "./read-general.ts";
import { readOidc } from "./read-oidc.ts";
import { readTrust } from "./read-trust.ts";
import { ValueReader } from "./read-values.ts";
import { noteLoneRepositories, readRepository } from "./repositories.ts";
import { secretTexts } from "./secret-texts.ts";
import type { PluginTlsSettings, Settings, SettingsProblem } from "./settings.ts";

export const pluginTlsSecret = "argocd-plugin-services-tls";
const serverTlsSecret = "argocd-server-tls";

/** What a program's flags say, over the keys of ConfigMaps that would say the same: name → key → text. */
export type SettingsOverlay = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * Typed settings from the ConfigMaps and Secrets of the control namespace. `previous`: what was in force until now,
 * of which stays what protects something and can no longer be read.
 */
export function readSettings(
  configMaps: Iterable<Manifest>,
  secrets: Iterable<Manifest>,
  { previous, overlay = {} }: { previous?: Settings | undefined; overlay?: SettingsOverlay | undefined } = {},
): Settings {
  const problems: SettingsProblem[] = [];
  const maps = new Map<string, Readonly<Record<string, string>>>(Object.entries(overlay));
  const [allMaps, allSecrets] = [byName(configMaps), byName(secrets)];
  for (const { metadata, data } of allMaps) {
    const { name = "" } = metadata;
    maps.set(name, { ...textsIn(data), ...overlay[name] });
  }
  const readerOf = (name: string) => new ValueReader(`ConfigMap ${name}`, maps.get(name) ?? {}, problems);
  const mapOf = (name: string) => ({ texts: maps.get(name) ?? {}, reader: readerOf(name) });
  const settings = {
    general: {
      oidc:
        readOidc(readerOf("argocd-cm"), (name) => referableTexts(allSecrets, name)) ??
        readDex({
          reader: readerOf("argocd-cm"),
          params: readerOf("argocd-cmd-params-cm"),
          serverKey: referableTexts(allSecrets, "argocd-secret")?.["server.secretkey"],
        }),
      extensions: readExtensions(readerOf("argocd-cm"), maps.get("argocd-cm") ?? {}, (name) =>
        referableTexts(allSecrets, name),
      ),
      ...readGeneral(readerOf("argocd-cm"), maps.get("argocd-cm") ?? {}),
      ...readSyncTimes(readerOf("argocd-cmd-params-cm")),
      keyring: readerOf("argocd-cmd-params-cm").boolean("capstan.gpg.enabled", true)
        ? Object.values(maps.get("argocd-gpg-keys-cm") ?? {})
        : undefined,
      withoutSubmodules: !readerOf("argocd-cmd-params-cm").boolean("reposerver.enable.git.submodule", true),
      serverSideDiff: readerOf("argocd-cmd-params-cm").boolean("controller.diff.server.side", false),
      jqTimeMs: readerOf("argocd-cmd-params-cm").duration("controller.ignore.normalizer.jq.timeout") || 1_000,
    },
    rbac: readRbac(readerOf("argocd-rbac-cm"), maps.get("argocd-rbac-cm") ?? {}),
    params: maps.get("argocd-cmd-params-cm") ?? {},
    notifications: {
      map: maps.get("argocd-notifications-cm") ?? {},
      secrets: textsOfSecret(allSecrets, "argocd-notifications-secret"),
    },
    imageUpdater: maps.get("argocd-image-updater-config") ?? {},
    trust: readTrust(
      { certificates: mapOf("argocd-tls-certs-cm"), hosts: mapOf("argocd-ssh-known-hosts-cm") },
      previous?.trust,
    ),
  };
  const notHonoured = [...allMaps, ...allSecrets]
    .map(findNotHonoured)
    .filter(({ found }) => found.length > 0);
  const read = { ...settings, ...readSecrets(allSecrets, problems), problems, unreadable: [], notHonoured };
  return keepLastGood(read, previous);
}

/** Of a Secret that settings may refer to (util/settings getSecrets). */
function referableTexts(secrets: readonly Manifest[], name: string): Record<string, string> | undefined {
  const found = secrets.find(({ metadata }) => metadata.name === name);
  const isReferable = name === "argocd-secret" || found?.metadata.labels?.[labelKeys.partOf] === "argocd";
  return found && isReferable ? secretTexts(found) : undefined;
}

function textsOfSecret(secrets: readonly Manifest[], name: string): Record<string, string> {
  const found = secrets.find(({ metadata }) => metadata.name === name);
  return found ? secretTexts(found) : {};
}

type FromSecrets = Pick<
  Settings,
  | "secret"
  | "repositories"
  | "credentialTemplates"
  | "writeRepositories"
  | "writeCredentialTemplates"
  | "clusters"
  | "pluginTls"
  | "serverTls"
>;

function readSecrets(secrets: Iterable<Manifest>, problems: SettingsProblem[]): FromSecrets {
  type Repositories = Settings["repositories"][number][];
  const repositories: Repositories = [];
  const credentialTemplates: Repositories = [];
  const writeRepositories: Repositories = [];
  const writeCredentialTemplates: Repositories = [];
  const repositoriesOf = new Map([
    ["repository", repositories],
    ["repo-creds", credentialTemplates],
    ["repository-write", writeRepositories],
    ["repo-write-creds", writeCredentialTemplates],
  ]);
  const clusters: Settings["clusters"][number][] = [];
  let secret: Settings["secret"] = {};
  let pluginTls: Settings["pluginTls"] = {};
  let serverTls: Settings["serverTls"];
  const tokens: Record<string, string> = {};
  for (const object of secrets) {
    const { name = "", resourceVersion = "", labels } = object.metadata;
    const texts = secretTexts(object);
    if (name === "argocd-secret") secret = texts;
    const reader = new ValueReader(`Secret ${name}`, texts, problems);
    // util/settings: the Secret of its own goes before the keys of argocd-secret, which its name follows here.
    if (name === "argocd-secret" || name === serverTlsSecret)
      serverTls = readServerTls(texts, name) ?? serverTls;
    if (name === pluginTlsSecret) pluginTls = readPluginTls(texts, reader);
    const type = labels?.[labelKeys.secretType];
    if (type === undefined) continue;
    const source = { secretName: name, resourceVersion };
    const ofType = repositoriesOf.get(type);
    if (ofType) pushFound(ofType, readRepository(reader, source));
    else if (type === "plugin-token") {
      const token = texts.token?.trim() ?? "";
      if (token === "") reader.problem("token", "is missing or empty: plugins get none from this Secret");
      else tokens[name] = token;
    } else if (type === "cluster") pushFound(clusters, readClusterSecret(object, reader));
  }
  noteLoneRepositories({ repositories, credentialTemplates }, (problem) => problems.push(problem));
  return {
    secret,
    repositories,
    credentialTemplates,
    writeRepositories,
    writeCredentialTemplates,
    clusters,
    serverTls,
    pluginTls: { ...pluginTls, ...(Object.keys(tokens).length > 0 ? { tokens } : {}) },
  };
}

function readServerTls(texts: Readonly<Record<string, string>>, name: string): Settings["serverTls"] {
  const { "tls.crt": certificate, "tls.key": key } = texts;
  return certificate && key ? { certificate, key, from: `Secret ${name}` } : undefined;
}

/** The keys are those of Argo CD's own argocd-repo-server-tls, and of cert-manager. */
function readPluginTls(texts: Readonly<Record<string, string>>, reader: ValueReader): PluginTlsSettings {
  const { "ca.crt": authority, "tls.crt": certificate, "tls.key": key } = texts;
  if ((certificate === undefined) !== (key === undefined))
    reader.problem(
      certificate === undefined ? "tls.crt" : "tls.key",
      "is missing: tls.crt and tls.key belong together",
    );
  const from = `ca.crt of Secret ${pluginTlsSecret}`;
  return {
    ...(authority === undefined ? {} : { authority: { authority, from } }),
    ...(certificate === undefined || key === undefined ? {} : { certificate: { certificate, key } }),
  };
}

function byName(objects: Iterable<Manifest>): Manifest[] {
  return [...objects].sort((left, right) =>
    (left.metadata.name ?? "") < (right.metadata.name ?? "") ? -1 : 1,
  );
}

function pushFound<T>(list: T[], found: T | undefined): void {
  if (found !== undefined) list.push(found);
}
