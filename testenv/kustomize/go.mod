// A real program that tests run against. Nothing of it is needed to run Capstan.
module capstan.dev/testenv/kustomize

go 1.26.0

require sigs.k8s.io/kustomize/kustomize/v5 v5.8.1

tool sigs.k8s.io/kustomize/kustomize/v5
