// A real program that tests run against. Nothing of it is needed to run Capstan.
module capstan.dev/testenv/helm3

go 1.26.0

require helm.sh/helm/v3 v3.22.0

tool helm.sh/helm/v3/cmd/helm
