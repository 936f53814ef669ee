const chart = (version: string): string =>
  JSON.stringify({ apiVersion: "v2", name: "shop", version, appVersion: "2", kubeVersion: ">=1.25.0-0" });

const values = { replicas: 1, image: "nginx:1.27", note: "first", failHook: false, badName: false };

const workload = `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Values.badName | ternary "Bad_Name" (printf "%s-web" .Release.Name) }}
spec:
  replicas: {{ .Values.replicas }}
  selector: {matchLabels: {app: {{ .Release.Name }}}}
  template:
    metadata: {labels: {app: {{ .Release.Name }}}}
    spec: {containers: [{name: main, image: {{ .Values.image | quote }}}]}
---
apiVersion: v1
kind: Service
metadata: {name: {{ .Release.Name }}-web}
spec: {selector: {app: {{ .Release.Name }}}, ports: [{port: 80}]}
`;

/** What it looks up on the server, and what the server can do, is in its data. */
const settings = `
{{- $old := lookup "v1" "ConfigMap" .Release.Namespace "given" }}
{{- $all := lookup "v1" "Service" .Release.Namespace "" }}
{{- $none := lookup "v1" "Secret" .Release.Namespace "none" }}
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}-settings}
data:
  note: {{ .Values.note | quote }}
  given: {{ dig "data" "key" "absent" $old | quote }}
  services: {{ len (default (list) $all.items) | quote }}
  none: {{ empty $none | quote }}
  revision: {{ .Release.Revision | quote }}
  upgrade: {{ .Release.IsUpgrade | quote }}
  kube: {{ printf "%s.%s" .Capabilities.KubeVersion.Major .Capabilities.KubeVersion.Minor | quote }}
  ingress: {{ .Capabilities.APIVersions.Has "networking.k8s.io/v1/Ingress" | quote }}
`;

const hook = (name: string, events: string, command = "true"): string => `
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .Release.Name }}-${name}
  annotations:
    helm.sh/hook: ${events}
    helm.sh/hook-delete-policy: before-hook-creation
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: busybox, command: ["${command}"]}]
`;

/** A chart with hooks, a test and lookups: what people's charts ask of a cluster. */
export const chartFiles: Readonly<Record<string, string>> = {
  "shop/Chart.yaml": chart("1.0.0"),
  "shop/values.yaml": JSON.stringify(values),
  "shop/templates/workload.yaml": workload,
  "shop/templates/settings.yaml": settings,
  "shop/templates/before.yaml": hook("before", "pre-install,pre-upgrade"),
  "shop/templates/after.yaml": hook("after", "post-install,post-delete"),
  "shop/templates/check.yaml": hook("check", "test"),
  "shop/templates/NOTES.txt": "Release {{ .Release.Name }} runs {{ .Values.image }}.\n",
};
