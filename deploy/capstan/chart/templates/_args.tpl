{{/* Words of each part; its metrics and its log are said for all. */}}
{{- define "capstan.args.server" -}}
- server
- --address=0.0.0.0
- --port=8080
- --data=/data
{{ include "capstan.args.asking" . }}
{{- if .Values.server.insecure }}
- --insecure
{{- end }}
{{- range .Values.server.allowedHosts }}
- {{ printf "--allowed-host=%s" . | quote }}
{{- end }}
{{- range .Values.server.trustedProxies }}
- {{ printf "--trusted-proxy=%s" . | quote }}
{{- end }}
{{- end }}

{{- define "capstan.args.repo-server" -}}
- repo-server
- --listen=:8081
- --data=/data
- --token-file=/token/token
{{- end }}

{{- define "capstan.args.controller" -}}
- controller
- --data=/data
{{ include "capstan.args.asking" . }}
{{- end }}

{{- define "capstan.args.application-set" -}}
- application-set
- --data=/data
{{ include "capstan.args.asking" . }}
{{- end }}

{{- define "capstan.args.notifications" -}}
- notifications
- --data=/data
{{- include "capstan.args.namespaces" . }}
{{- end }}

{{/* Of parts that ask the repo server. */}}
{{- define "capstan.args.asking" -}}
- --repo-server={{ include "capstan.name" . }}-repo-server:8081
- --repo-server-token-file=/token/token
{{- include "capstan.args.namespaces" . }}
{{- end }}

{{- define "capstan.args.namespaces" -}}
{{- with .Values.applicationNamespaces }}
- {{ printf "--application-namespaces=%s" (join "," .) | quote }}
{{- end }}
{{- end }}
