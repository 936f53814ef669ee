import { configMapText, deploymentText, type Files } from "@capstan/testkit";

/** The repository that both worlds deploy from. */
export const files: Files = {
  "guestbook/config.yaml": configMapText("greeting", "hello"),
  "guestbook/web.yaml": deploymentText("web"),
  "second/config.yaml": configMapText("second", "two"),
  "broken/config.yaml": "kind: ConfigMap\n  apiVersion: v1\n",
  "chart/Chart.yaml": "apiVersion: v2\nname: shop\nversion: 1.2.3\n",
  "chart/values.yaml": "text: hello\nreplicas: 0\n",
  "chart/templates/config.yaml": [
    "apiVersion: v1",
    "kind: ConfigMap",
    "metadata:",
    "  name: {{ .Release.Name }}-chart",
    "data:",
    "  text: {{ .Values.text | quote }}",
    '  replicas: "{{ .Values.replicas }}"',
    "",
  ].join("\n"),
};

/** What the branch `next` changes of it. */
export const changes: Files = {
  "guestbook/config.yaml": configMapText("greeting", "hello again"),
  "guestbook/more.yaml": configMapText("more", "1"),
};

export const charts = [{ name: "plain", version: "1.0.0" }] as const;
