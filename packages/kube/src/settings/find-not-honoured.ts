import { isRecord } from "@capstan/formats";
import { annotationKeys, labelKeys, type Manifest, messageOf, parseYaml } from "@capstan/model";
import {
  type FoundSetting,
  findKeys,
  findKnown,
  findMarks,
  type SettingHolder,
} from "@capstan/model/settings";
import { textsIn } from "../read-json.ts";

/** Settings of one ConfigMap or Secret that Capstan does not honour, by their names alone. */
export interface SettingsFound {
  /** "ConfigMap argocd-cm" */
  where: string;
  found: readonly FoundSetting[];
}

const holders: Readonly<Record<string, SettingHolder>> = {
  "ConfigMap argocd-cm": "ConfigMap argocd-cm",
  "ConfigMap argocd-rbac-cm": "ConfigMap argocd-rbac-cm",
  "ConfigMap argocd-cmd-params-cm": "ConfigMap argocd-cmd-params-cm",
  "ConfigMap argocd-tls-certs-cm": "ConfigMap argocd-tls-certs-cm",
  "ConfigMap argocd-ssh-known-hosts-cm": "ConfigMap argocd-ssh-known-hosts-cm",
  "ConfigMap argocd-gpg-keys-cm": "ConfigMap argocd-gpg-keys-cm",
  "ConfigMap argocd-notifications-cm": "ConfigMap argocd-notifications-cm",
  "ConfigMap argocd-image-updater-config": "ConfigMap argocd-image-updater-config",
  "Secret argocd-secret": "Secret argocd-secret",
  "Secret argocd-notifications-secret": "Secret argocd-notifications-secret",
  "Secret argocd-server-tls": "Secret argocd-server-tls",
  "Secret argocd-plugin-services-tls": "Secret argocd-plugin-services-tls",
};
const holdersByType: Readonly<Record<string, SettingHolder>> = {
  repository: "Secret of a repository",
  "repo-creds": "Secret of repository credentials",
  cluster: "Secret of a cluster",
};

/** ConfigMaps and Secrets by name, of which settings are known. */
export function hasSettings({ kind, metadata }: Manifest): boolean {
  return (
    holders[`${kind} ${metadata.name ?? ""}`] !== undefined ||
    metadata.labels?.[labelKeys.secretType] !== undefined ||
    // Settings may refer to it; what Capstan keeps for itself changes often, and is referred to by nobody.
    (kind === "Secret" &&
      metadata.labels?.[labelKeys.partOf] === "argocd" &&
      !metadata.name?.startsWith("capstan-"))
  );
}

export function findNotHonoured(object: Manifest): SettingsFound {
  const { kind, metadata } = object;
  const where = `${kind} ${metadata.name ?? ""}`;
  const type = kind === "Secret" ? metadata.labels?.[labelKeys.secretType] : undefined;
  const found = type === undefined ? ofName(where, object) : ofType(type, object);
  return { where, found };
}

function ofName(where: string, object: Manifest): FoundSetting[] {
  const holder = holders[where];
  if (holder === undefined) return [];
  const found = findKeys({ holder, part: "key" }, dataKeys(object));
  return holder === "ConfigMap argocd-cm" ? [...found, ...customizations(object)] : found;
}

function ofType(type: string, object: Manifest): FoundSetting[] {
  const labelled = findKeys({ holder: "Secret", part: "label value" }, [`${labelKeys.secretType}=${type}`]);
  const holder = holdersByType[type];
  if (holder === undefined) return labelled;
  const { annotations, labels = {} } = object.metadata;
  const { [labelKeys.secretType]: _, ...others } = labels;
  return [
    ...labelled,
    ...findKeys({ holder, part: "key" }, dataKeys(object)),
    ...findMarks({ holder, part: "annotation" }, withoutApplied(annotations)),
    ...findMarks({ holder, part: "label" }, others),
  ];
}

function withoutApplied(annotations: Readonly<Record<string, string>> | undefined): Record<string, string> {
  const { [annotationKeys.lastApplied]: _, ...others } = annotations ?? {};
  return others;
}

function dataKeys({ data, stringData }: Manifest): string[] {
  const of = (value: unknown) => (isRecord(value) ? Object.keys(value) : []);
  return [...new Set([...of(data), ...of(stringData)])].sort();
}

/** What resource.customizations holds, as if each part were a key of its own. */
function customizations({ data }: Manifest): FoundSetting[] {
  const text = textsIn(data)["resource.customizations"];
  if (text === undefined) return [];
  let kinds: unknown;
  try {
    kinds = parseYaml(text);
  } catch (error) {
    return [{ part: "key", key: "resource.customizations", note: messageOf(error) }];
  }
  const keys = Object.entries(isRecord(kinds) ? kinds : {}).flatMap(([kind, parts]) =>
    Object.keys(isRecord(parts) ? parts : {}).map((part) => customizationKey(kind, part)),
  );
  return findKeys({ holder: "ConfigMap argocd-cm", part: "key" }, keys);
}

function customizationKey(kind: string, part: string): string {
  const split = `resource.customizations.${part.replace(/^health\.lua(?:\.useOpenLibs)?$/, "health")}`;
  const name = kind.replace("/", "_");
  const key = `${split}.${name}`;
  return findKnown({ holder: "ConfigMap argocd-cm", part: "key" }, key)
    ? key
    : `resource.customizations: ${kind}: ${part}`;
}
