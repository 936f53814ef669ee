import { permitHost, readHostRules } from "@capstan/engine";
import {
  type CodecommitSettings,
  type GitHost,
  type HostCredential,
  hostFor,
  openCodecommit,
} from "@capstan/git-hosts";
import { problemOfCertificates, readSmallFile, secretTexts, textsIn } from "@capstan/kube";
import { type ApplicationSet, labelKeys, type Manifest } from "@capstan/model";
import type { ProxyVariables } from "@capstan/outbound";
import type { AskNeeds } from "./ask-needs.ts";
import type { WrittenAccess, WrittenAws, WrittenHost } from "./host-providers.ts";

type HostNeeds = Pick<AskNeeds, "kube" | "hosts" | "settings" | "controlNamespace">;

/** The host that a set's generator names, with the credentials that are the set's to use; throws where it may not. */
export async function openHost(
  needs: HostNeeds,
  { set, written }: { set: ApplicationSet; written: WrittenHost & { readonly aws?: WrittenAws } },
  signal: AbortSignal,
): Promise<GitHost> {
  const { settings, hosts: calls, controlNamespace } = needs;
  const { kind, api, access, isInsecure } = written;
  const { params } = settings.current;
  const isOwn = (set.metadata.namespace ?? controlNamespace) === controlNamespace;
  const { isGuarded } = permitHost(readHostRules(params), { api, isOwn });
  if (kind === "awsCodeCommit") return openAws({ ...written.aws, calls }, isOwn);
  const app = access.appSecretName ? findApp(needs, set, access.appSecretName) : undefined;
  const credential = app?.credential ?? (await readCredential(needs, { set, access }, signal));
  const ca = await readAuthorities(needs, { set, written }, signal);
  return hostFor(kind, {
    api: api || app?.baseUrl,
    credential,
    tls: { insecure: isInsecure, ca },
    proxy: proxyOf(params),
    guarded: isGuarded,
    calls,
  });
}

function openAws(settings: CodecommitSettings, isOwn: boolean): GitHost {
  if (isOwn) return openCodecommit(settings);
  throw new Error(
    "awsCodeCommit asks with the rights of Capstan itself, which sets outside of its own namespace may not",
  );
}

/** `--scm-proxy-url` and `--scm-no-proxy` of Argo CD's controller. */
function proxyOf(params: Readonly<Record<string, string>>): ProxyVariables | undefined {
  const proxy = params["applicationsetcontroller.scm.proxy.url"];
  const except = params["applicationsetcontroller.scm.no.proxy"];
  return proxy
    ? { http_proxy: proxy, https_proxy: proxy, ...(except ? { no_proxy: except } : {}) }
    : undefined;
}

/**
 * An App of a Secret with repository credentials. One that is a project's is for its sets, and one that is nobody's for
 * sets of the control namespace.
 */
function findApp(
  { settings, controlNamespace }: HostNeeds,
  { metadata, spec }: ApplicationSet,
  secretName: string,
): { credential: HostCredential; baseUrl: string | undefined } {
  const { credentialTemplates, repositories } = settings.current;
  const found = [...credentialTemplates, ...repositories].find(
    ({ secret }) => secret.secretName === secretName,
  );
  const { githubAppID: id = "", githubAppPrivateKey: privateKey, project } = found ?? {};
  if (!found || privateKey === undefined)
    throw new Error(
      `Secret ${secretName} of ${controlNamespace} is none of repository credentials with a GitHub App`,
    );
  const isOwn = (metadata.namespace ?? controlNamespace) === controlNamespace;
  const isOfSet = project === undefined ? isOwn : project === (spec.template.spec.project || "default");
  if (!isOfSet)
    throw new Error(
      `the GitHub App of Secret ${secretName} is ${project === undefined ? `for sets of the namespace ${controlNamespace}` : `the project ${project}'s`}`,
    );
  const { githubAppInstallationID: installation, githubAppEnterpriseBaseUrl: baseUrl } = found;
  return { credential: { kind: "githubApp", id, installation, privateKey }, baseUrl };
}

interface Reading {
  readonly set: ApplicationSet;
  readonly access: WrittenAccess;
}

async function readCredential(
  needs: HostNeeds,
  { set, access }: Reading,
  signal: AbortSignal,
): Promise<HostCredential | undefined> {
  const { tokenRef, basic } = access;
  if (tokenRef) return { kind: "token", token: await readSecret(needs, { set, ref: tokenRef }, signal) };
  if (!basic) return undefined;
  const { username, passwordRef } = basic;
  return { kind: "basic", username, password: await readSecret(needs, { set, ref: passwordRef }, signal) };
}

/** applicationset/utils GetSecretRef; what Capstan itself lives by is no credential for hosts. */
async function readSecret(
  { kube, settings, controlNamespace }: HostNeeds,
  { set, ref }: { set: ApplicationSet; ref: { secretName: string; key: string } },
  signal: AbortSignal,
): Promise<string> {
  const namespace = set.metadata.namespace ?? controlNamespace;
  const { secretName: name, key } = ref;
  const secret = await kube.get({ apiVersion: "v1", kind: "Secret", namespace, name }, signal);
  if (!secret) throw new Error(`Secret ${namespace}/${name} does not exist`);
  const type = secret.metadata.labels?.[labelKeys.secretType];
  if (readHostRules(settings.current.params).isStrict && type !== hostSecretType)
    throw new Error(`Secret ${namespace}/${name} lacks the label ${labelKeys.secretType}=${hostSecretType}`);
  if (isOfSystem(secret, namespace === controlNamespace))
    throw new Error(`Secret ${namespace}/${name} holds no credentials for hosts of repositories`);
  const token = secretTexts(secret)[key];
  if (token === undefined) throw new Error(`Secret ${namespace}/${name} has no key ${key}`);
  return token.trim();
}

const hostSecretType = "scm-creds";
const systemNames =
  /^(?:argocd-(?:secret|initial-admin-secret|notifications-secret|redis|.*-tls)|capstan-.*)$/;

function isOfSystem(secret: Manifest, isControl: boolean): boolean {
  if (String(secret.type ?? "").startsWith("kubernetes.io/service-account-token")) return true;
  if (!isControl) return false;
  const type = secret.metadata.labels?.[labelKeys.secretType];
  return type === "cluster" || type === "plugin-token" || systemNames.test(secret.metadata.name ?? "");
}

/**
 * Whom a server that a generator names is known by: the operator's file and the generator's ConfigMap, in place of
 * those of the machine (applicationset/utils getTLSConfigWithCACert). undefined: those of the machine.
 */
async function readAuthorities(
  { kube, settings, controlNamespace }: HostNeeds,
  { set, written: { kind, api, caRef } }: { set: ApplicationSet; written: WrittenHost },
  signal: AbortSignal,
): Promise<string | undefined> {
  const path = settings.current.params["applicationsetcontroller.scm.root.ca.path"];
  const takesFile = api !== undefined && (kind === "gitlab" || kind === "bitbucketServer");
  const ofOperator = path && takesFile ? [await readSmallFile(path)] : [];
  if (!caRef) return joined(ofOperator);
  const namespace = set.metadata.namespace ?? controlNamespace;
  const ref = { apiVersion: "v1", kind: "ConfigMap", namespace, name: caRef.configMapName };
  const where = `ConfigMap ${namespace}/${caRef.configMapName}`;
  const map = await kube.get(ref, signal);
  if (!map) throw new Error(`${where} does not exist`);
  const text = textsIn(map.data)[caRef.key];
  if (text === undefined) throw new Error(`${where} has no key ${caRef.key}`);
  const problem = problemOfCertificates(text);
  if (problem !== undefined) throw new Error(`${where}: ${caRef.key} ${problem}`);
  return joined([...ofOperator, text]);
}

function joined(texts: readonly string[]): string | undefined {
  return texts.length === 0 ? undefined : texts.join("\n");
}
