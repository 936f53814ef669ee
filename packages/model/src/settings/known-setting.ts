/** What has settings: ConfigMaps and Secrets of the control namespace by name or label, custom resources, the rest. */
export type SettingHolder =
  | "ConfigMap argocd-cm"
  | "ConfigMap argocd-rbac-cm"
  | "ConfigMap argocd-cmd-params-cm"
  | "ConfigMap argocd-tls-certs-cm"
  | "ConfigMap argocd-ssh-known-hosts-cm"
  | "ConfigMap argocd-gpg-keys-cm"
  | "ConfigMap argocd-notifications-cm"
  | "ConfigMap argocd-app-controller-shard-cm"
  | "ConfigMap argocd-image-updater-config"
  | "Secret argocd-secret"
  | "Secret argocd-notifications-secret"
  | "Secret argocd-server-tls"
  | "Secret argocd-plugin-services-tls"
  | "Secret of a repository"
  | "Secret of repository credentials"
  | "Secret of a cluster"
  | "Secret"
  | "Application"
  | "AppProject"
  | "ApplicationSet"
  | "managed object"
  | "Service of a plugin";

export type SettingPart =
  | "key"
  | "field"
  | "annotation"
  | "label"
  | "finalizer"
  | "sync option"
  | "compare option"
  | "label value";

/** Whether Capstan does what a setting says. */
export type Standing = "honoured" | "not honoured";

/** One setting that Argo CD 3.6 or Capstan knows. */
export interface KnownSetting {
  holder: SettingHolder;
  part: SettingPart;
  /** As it is written; `<name>` stands for whatever is there, `[]` for each of a list. */
  key: string;
  standing: Standing;
  /** Not honoured: what follows, and what to do. Honoured: where Capstan differs, else nothing. */
  note: string;
  /** Ignoring it is unsafe: applications that it concerns are neither synced nor deleted. */
  blocks: boolean;
  /** Honoured: the folder, from packages/, whose code reads it. */
  readIn?: string;
}

interface Rows {
  holder: SettingHolder;
  part: SettingPart;
}

export function honoured(rows: Rows, readIn: string, keys: readonly string[]): KnownSetting[] {
  return keys.map((key) => ({ ...rows, key, standing: "honoured", note: "", blocks: false, readIn }));
}

export function notHonoured(rows: Rows, notes: Readonly<Record<string, string>>): KnownSetting[] {
  return withNotes(rows, notes, { standing: "not honoured", blocks: false });
}

/** Several with the same note. */
export function alike(note: string, keys: readonly string[]): Record<string, string> {
  return Object.fromEntries(keys.map((key) => [key, note]));
}

/** Not honoured, and unsafe to ignore. */
export function blocking(rows: Rows, notes: Readonly<Record<string, string>>): KnownSetting[] {
  return withNotes(rows, notes, { standing: "not honoured", blocks: true });
}

function withNotes(
  rows: Rows,
  notes: Readonly<Record<string, string>>,
  of: Pick<KnownSetting, "standing" | "blocks">,
): KnownSetting[] {
  return Object.entries(notes).map(([key, note]) => ({ ...rows, key, note, ...of }));
}
