import type { ParameterAnnouncement } from "@capstan/model";

interface Described {
  readonly title: string;
  readonly tooltip: string;
  readonly value?: string;
  readonly choices?: readonly string[];
}

const yesOrNo = ["true", "false"] as const;

/** argocd-lovely-plugin's settings by their variables, with what each does and its default. */
const described = {
  LOVELY_PLUGINS: {
    title: "Plugins",
    tooltip:
      "Commands, comma-separated, that get the manifests on standard input and print what they shall be",
  },
  LOVELY_PLUGINS_YAML: {
    title: "Plugins by directory",
    tooltip: "A map from directory to list of commands, instead of the plain list there",
  },
  LOVELY_PREPROCESSORS: {
    title: "Preprocessors",
    tooltip: "Commands, comma-separated, that change files before anything reads them",
  },
  LOVELY_PREPROCESSORS_YAML: {
    title: "Preprocessors by directory",
    tooltip: "A map from directory to list of commands, instead of the plain list there",
  },
  LOVELY_DETECTION_REGEX: {
    title: "Detection",
    tooltip: "A directory with a file that this regular expression matches is an application",
    value: "\\.ya?ml(\\.gotmpl)?$",
  },
  LOVELY_KUSTOMIZE_PATH: { title: "Kustomize", tooltip: "Program for kustomize", value: "kustomize" },
  LOVELY_KUSTOMIZE_PARAMS: {
    title: "Kustomize arguments",
    tooltip: "More arguments of kustomize build, blank-separated; --enable-helm is given always",
  },
  LOVELY_KUSTOMIZE_MERGE: { title: "Kustomize merge", tooltip: "YAML merged into each kustomization" },
  LOVELY_KUSTOMIZE_PATCH: {
    title: "Kustomize patch",
    tooltip: "RFC 6902 patch of each kustomization, as YAML or JSON",
  },
  LOVELY_HELM_PATH: { title: "Helm", tooltip: "Program for helm", value: "helm" },
  LOVELY_HELM_MERGE: { title: "Helm merge", tooltip: "YAML merged into the first values file" },
  LOVELY_HELM_PATCH: {
    title: "Helm patch",
    tooltip: "RFC 6902 patch of the first values file, as YAML or JSON",
  },
  LOVELY_HELM_TEMPLATE_PARAMS: {
    title: "Helm template arguments",
    tooltip: "More arguments of helm template, blank-separated",
  },
  LOVELY_HELM_REPO_ADD_PARAMS: {
    title: "Helm repository arguments",
    tooltip: "--username, --password, --pass-credentials, --insecure-skip-tls-verify for dependencies",
  },
  LOVELY_HELM_CRDS: {
    title: "Helm CRDs",
    tooltip: "Whether CRDs of charts are included",
    value: "true",
    choices: yesOrNo,
  },
  LOVELY_HELM_NAME: {
    title: "Helm release name",
    tooltip: "Default: the application's name",
  },
  LOVELY_HELM_NAMESPACE: {
    title: "Helm namespace",
    tooltip: "Default: the destination's namespace",
  },
  LOVELY_HELM_VALUES: {
    title: "Helm values files",
    tooltip: "Blank-separated; they must exist. Merge and patch change the first. Default: values.yaml",
  },
  LOVELY_HELM_IGNORE_MISSING_VALUE_FILES: {
    title: "Helm values files may be missing",
    tooltip: "Whether values files that are not there are passed over",
    value: "false",
    choices: yesOrNo,
  },
  LOVELY_HELMFILE_PATH: { title: "Helmfile", tooltip: "Program for helmfile", value: "helmfile" },
  LOVELY_HELMFILE_TEMPLATE_PARAMS: {
    title: "Helmfile template arguments",
    tooltip: "More arguments of helmfile template, blank-separated",
  },
  LOVELY_HELMFILE_CRDS: {
    title: "Helmfile CRDs",
    tooltip: "Whether CRDs of charts are included",
    value: "true",
    choices: yesOrNo,
  },
  LOVELY_HELMFILE_MERGE: { title: "Helmfile merge", tooltip: "YAML merged into helmfile.yaml" },
  LOVELY_HELMFILE_PATCH: {
    title: "Helmfile patch",
    tooltip: "RFC 6902 patch of helmfile.yaml, as YAML or JSON",
  },
  LOVELY_ENV_PROPAGATION: {
    title: "Plain variables",
    tooltip: "Whether helm, kustomize and helmfile get ARGOCD_ENV_NAME as NAME",
    value: "false",
    choices: yesOrNo,
  },
} as const satisfies Record<string, Described>;

export type SettingName = keyof typeof described;

export function defaultOf(name: SettingName): string {
  const one: Described = described[name];
  return one.value ?? "";
}

/** As Argo CD's page lists them: in lower case. */
export const announcedParameters: readonly ParameterAnnouncement[] = Object.entries(described).map(
  ([name, one]: [string, Described]) => ({
    name: name.toLowerCase(),
    title: one.title,
    tooltip: one.tooltip,
    ...(one.value === undefined ? {} : { string: one.value }),
    ...(one.choices === undefined ? {} : { choices: [...one.choices] }),
  }),
);
