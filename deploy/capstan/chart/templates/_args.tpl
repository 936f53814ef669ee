{{/* Words of each part. */}}
{{- define "capstan.args.server" -}}
- server
- --address=0.0.0.0
- --port=8080
- --metrics-host=0.0.0.0
- --metrics-port=8082
- --shutdown-delay-seconds={{ .Values.shutdownDelaySeconds }}
- --log-format={{ .Values.logFormat }}
- --log-level={{ .Values.logLevel }}
{{ include "capstan.args.asking" . }}
{{- if .Values.server.insecure }}
- --insecure
{{- end }}
{{- /* As the cluster calls it; $(…) is filled in by Kubernetes. */}}
{{- range list "" ".$(ARGOCD_NAMESPACE)" ".$(ARGOCD_NAMESPACE).svc" }}
- --allowed-host={{ include "capstan.name" $ }}-server{{ . }}
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
- --address=0.0.0.0
- --port=8081
- --token-file=/token/token
- --shutdown-delay-seconds={{ .Values.shutdownDelaySeconds }}
{{ include "capstan.args.part" . }}
{{- end }}

{{- define "capstan.args.controller" -}}
- controller
{{ include "capstan.args.part" . }}
{{ include "capstan.args.asking" . }}
{{- end }}

{{- define "capstan.args.application-set" -}}
- application-set
{{ include "capstan.args.part" . }}
{{ include "capstan.args.asking" . }}
{{- end }}

{{- define "capstan.args.notifications" -}}
- notifications
{{ include "capstan.args.part" . }}
{{ include "capstan.args.asking" . }}
{{- end }}

{{/* Of all but the server. */}}
{{- define "capstan.args.part" -}}
- --metrics-address=0.0.0.0
- --metrics-port=8082
- --logformat={{ .Values.logFormat }}
- --loglevel={{ .Values.logLevel }}
{{- end }}

{{/* Of parts that ask the repo server. */}}
{{- define "capstan.args.asking" -}}
- --repo-server={{ include "capstan.name" . }}-repo-server:8081
- --repo-server-token-file=/token/token
{{- with .Values.applicationNamespaces }}
- {{ printf "--application-namespaces=%s" (join "," .) | quote }}
{{- else }}
- --namespaced
{{- end }}
{{- end }}
