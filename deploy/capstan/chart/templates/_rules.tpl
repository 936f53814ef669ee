{{/* What each part may do in the namespace of the installation. */}}
{{- define "capstan.rules.reading" -}}
- apiGroups: [""]
  resources: [configmaps, secrets]
  verbs: [get, list, watch]
- apiGroups: [argoproj.io]
  resources: [applications, applicationsets, appprojects]
  verbs: [get, list, watch]
- apiGroups: [argocd-image-updater.argoproj.io]
  resources: [imageupdaters]
  verbs: [get, list, watch]
{{ include "capstan.rules.plugins" . }}
{{- end }}

{{/* How plugins are found that run as Services, and pipelines that bear names. */}}
{{- define "capstan.rules.plugins" -}}
- apiGroups: [capstan.dev]
  resources: [pipelines]
  verbs: [get, list, watch]
- apiGroups: [""]
  resources: [services]
  verbs: [get, list, watch]
- apiGroups: [discovery.k8s.io]
  resources: [endpointslices]
  verbs: [get, list, watch]
{{- end }}

{{/* Secrets of stores are read by what a RoleBinding gives to its account. */}}
{{- define "capstan.rules.repo-server" -}}
{{ include "capstan.rules.plugins" . }}
{{- end }}

{{- define "capstan.rules.events" -}}
- apiGroups: [""]
  resources: [events]
  verbs: [create, patch]
{{- end }}

{{/* By Leases replicas of a part share its work. */}}
{{- define "capstan.rules.leases" -}}
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  verbs: [get, list, create, patch, delete]
{{- end }}

{{- define "capstan.rules.server" -}}
{{ include "capstan.rules.reading" . }}
{{ include "capstan.rules.events" . }}
# Applications, projects, sets, repositories, clusters, accounts and certificates are written as people say.
- apiGroups: [argoproj.io]
  resources: [applications, applicationsets, appprojects]
  verbs: [create, update, patch, delete]
- apiGroups: [""]
  resources: [configmaps, secrets]
  verbs: [create, update, patch, delete]
{{- end }}

{{- define "capstan.rules.controller" -}}
{{ include "capstan.rules.reading" . }}
{{ include "capstan.rules.events" . }}
{{ include "capstan.rules.leases" . }}
- apiGroups: [argoproj.io]
  resources: [applications, applications/status, applicationsets, appprojects, appprojects/status]
  verbs: [update, patch]
- apiGroups: [argoproj.io]
  resources: [applications]
  verbs: [delete]
- apiGroups: [argocd-image-updater.argoproj.io]
  resources: [imageupdaters/status]
  verbs: [update, patch]
{{- end }}

{{- define "capstan.rules.application-set" -}}
{{ include "capstan.rules.reading" . }}
{{ include "capstan.rules.events" . }}
{{ include "capstan.rules.leases" . }}
{{ include "capstan.rules.sets" . }}
{{- end }}

{{- define "capstan.rules.notifications" -}}
{{ include "capstan.rules.reading" . }}
{{ include "capstan.rules.events" . }}
{{ include "capstan.rules.leases" . }}
{{ include "capstan.rules.told" . }}
# Threads of Slack go on after a restart.
- apiGroups: [""]
  resources: [configmaps]
  verbs: [create]
- apiGroups: [""]
  resources: [configmaps]
  resourceNames: [capstan-slack-threads]
  verbs: [patch]
{{- end }}

{{- define "capstan.rules.sets" -}}
- apiGroups: [argoproj.io]
  resources: [applications, applicationsets, applicationsets/status]
  verbs: [create, update, patch, delete]
{{- end }}

{{/* What has been sent stands in annotations. */}}
{{- define "capstan.rules.told" -}}
- apiGroups: [argoproj.io]
  resources: [applications]
  verbs: [update, patch]
{{- end }}

{{/* What each part may do in the whole cluster, or in the one namespace where that is all. */}}
{{- define "capstan.deployed.controller" -}}
# Whatever an application holds is made, changed and deleted; what of it an application may is its project's.
- apiGroups: ["*"]
  resources: ["*"]
  verbs: ["*"]
{{- end }}

{{- define "capstan.deployed.server" -}}
# The tree of an application, its objects as they live, their deletion, actions on them.
- apiGroups: ["*"]
  resources: ["*"]
  verbs: [get, list, watch, patch, delete]
- apiGroups: [batch]
  resources: [jobs]
  verbs: [create]
- apiGroups: [""]
  resources: [pods/exec]
  verbs: [create]
{{- end }}

{{/* Where Applications lie in other namespaces too. */}}
{{- define "capstan.elsewhere.application-set" -}}
- apiGroups: [argoproj.io]
  resources: [applications, applicationsets]
  verbs: [get, list, watch]
- apiGroups: [argocd-image-updater.argoproj.io]
  resources: [imageupdaters]
  verbs: [get, list, watch]
{{ include "capstan.rules.events" . }}
{{ include "capstan.rules.sets" . }}
{{- end }}

{{- define "capstan.elsewhere.notifications" -}}
- apiGroups: [argoproj.io]
  resources: [applications, appprojects]
  verbs: [get, list, watch]
- apiGroups: [argocd-image-updater.argoproj.io]
  resources: [imageupdaters]
  verbs: [get, list, watch]
- apiGroups: [""]
  resources: [configmaps, secrets]
  verbs: [get, list, watch]
{{ include "capstan.rules.events" . }}
{{ include "capstan.rules.told" . }}
{{- end }}
