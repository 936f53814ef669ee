{{- define "plugin.name" -}}
{{- .Release.Name | trunc 53 | trimSuffix "-" -}}
{{- end }}

{{- define "plugin.selector" -}}
app.kubernetes.io/name: plugin-service
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "plugin.labels" -}}
{{ include "plugin.selector" . }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}
