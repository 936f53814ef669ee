{{- define "plugin.name" -}}
{{- .Release.Name | trunc 53 | trimSuffix "-" -}}
{{- end }}

{{/* The Secret with the token for callers; empty: none is asked for. */}}
{{- define "plugin.tokenSecret" -}}
{{- if .Values.tokenSecret -}}
{{ .Values.tokenSecret }}
{{- else if not (or .Values.clientCaConfigMap .Values.anyoneMayCall) -}}
{{ include "plugin.name" . }}-token
{{- end -}}
{{- end }}

{{- define "plugin.selector" -}}
app.kubernetes.io/name: plugin-service
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "plugin.labels" -}}
{{ include "plugin.selector" . }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}
