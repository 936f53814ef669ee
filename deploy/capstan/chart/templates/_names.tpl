{{/* Of what belongs to the release, before "-server" and the like. */}}
{{- define "capstan.name" -}}
{{- if contains "capstan" .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-capstan" (.Release.Name | trunc 32 | trimSuffix "-") -}}
{{- end -}}
{{- end }}

{{/* What lies in no namespace bears it in its name: one installation a namespace. */}}
{{- define "capstan.clusterName" -}}
{{ include "capstan.name" .root }}-{{ .part }}-{{ .root.Release.Namespace }}
{{- end }}

{{/* The Secret with the token for the repo server. */}}
{{- define "capstan.tokenSecret" -}}
{{- .Values.repoServer.tokenSecret | default (printf "%s-repo-server-token" (include "capstan.name" .)) -}}
{{- end }}

{{- define "capstan.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}
{{- end -}}
{{- end -}}
{{- end }}

{{/* Of a part: root and part, as "repo-server". */}}
{{- define "capstan.selector" -}}
app.kubernetes.io/name: capstan-{{ .part }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- end }}

{{- define "capstan.labels" -}}
{{ include "capstan.selector" . }}
app.kubernetes.io/part-of: capstan
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
{{- end }}

{{/* The parts that are wanted, each with its values, as a list in JSON. */}}
{{- define "capstan.parts" -}}
{{- $parts := list (dict "part" "server" "values" .Values.server) (dict "part" "repo-server" "values" .Values.repoServer) (dict "part" "controller" "values" .Values.controller) }}
{{- if .Values.applicationSet.enabled }}
{{- $parts = append $parts (dict "part" "application-set" "values" .Values.applicationSet) }}
{{- end }}
{{- if .Values.notifications.enabled }}
{{- $parts = append $parts (dict "part" "notifications" "values" .Values.notifications) }}
{{- end }}
{{- toJson $parts }}
{{- end }}
