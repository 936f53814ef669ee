import type { Files } from "@capstan/testkit";

const setter = (name: string, rest: string): string => `    io.k8s.cli.setters.${name}:
      x-k8s-cli:
        setter:
          name: ${name}
${rest}`;

const substitution = (name: string, pattern: string, parts: Readonly<Record<string, string>>): string => {
  const values = Object.entries(parts).map(
    ([marker, ref]) =>
      `          - marker: "${marker}"\n            ref: '#/definitions/io.k8s.cli.${ref}'\n`,
  );
  return `    io.k8s.cli.substitutions.${name}:
      x-k8s-cli:
        substitution:
          name: ${name}
          pattern: ${pattern}
          values:
${values.join("")}`;
};

export const formerKptfile = (name: string, body: string): string =>
  `apiVersion: kpt.dev/v1alpha1\nkind: Kptfile\nmetadata:\n  name: ${name}\n${body}`;

const definitions = [
  "openAPI:\n  definitions:\n",
  setter("image", "          value: nginx\n"),
  setter("tag", "          value: 1.14.1\n          setBy: me\n"),
  setter("replicas", '          value: "3"\n'),
  setter("none", '          value: ""\n'),
  setter("zones", '          value: ""\n          listValues:\n          - dev\n          - stage\n'),
  setter(
    "size",
    '          value: small\n          enumValues:\n            small: "1"\n            large: "2"\n',
  ),
  substitution("full", '"${image}:${tag}"', { "${image}": "setters.image", "${tag}": "setters.tag" }),
  substitution("long", '"x-${full}-${size}"', { "${full}": "substitutions.full", "${size}": "setters.size" }),
].join("");

const workload = `# A workload.
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web # {"$kpt-set":"image"}
  labels:
    long: x-nginx:1.14.1-1 # {"$kpt-set":"long"}
    # {"$kpt-set":"tag"}
    above: 1.14.1
    plain: text # nothing of setters
    unknown: text # {"$kpt-set":"nothing"}
spec:
  replicas: 3 # {"$ref":"#/definitions/io.k8s.cli.setters.replicas"}
  zones: # {"$kpt-set":"zones"}
  - dev
  - stage
  template:
    spec:
      containers:
      - name: web
        image: nginx:1.14.1 # {"$kpt-set":"full"}
        args:
        - nginx # {"$kpt-set":"image"}
        - "1.14.1"
`;

const functionConfig = (name: string, image: string, key: string): string => `apiVersion: v1
kind: ConfigMap
metadata:
  name: ${name}
  annotations:
    ${key}: |
      container:
        image: ${image}
    config.kubernetes.io/local-config: "true"
data:
  namespace: foo
`;

/** A package of kpt 0.x with all that its Kptfile could say, and one below it. */
export const formerPackage: Files = {
  Kptfile: formerKptfile(
    "shop",
    `  labels:
    a: b
packageMetadata:
  shortDescription: A shop
  url: https://example.com/shop
  email: shop@example.com
  license: |
    two
    lines
  version: v0.1
  tags: [one, two]
  man: "text: of a page"
upstream:
  type: git
  git:
    commit: 4d2aa98b45ddee4b5fa45fbca16f2ff887de9efb
    repo: https://example.com/shop
    directory: packages/shop
    ref: v0.2
dependencies:
- name: below
  git:
    repo: https://example.com/below
    directory: /
    ref: main
  autoSet: false
  functions:
  - image: example.com/f
    config: {a: b}
functions:
  autoRunStarlark: true
inventory:
  namespace: shop
  name: shop
  inventoryID: "123"
${definitions}`,
  ),
  "web.yaml": workload,
  "local.yaml": "",
  "settings.yaml": "",
  "policy.yaml": "",
  "batch/jobs.yaml": "",
  "functions.yaml": [
    functionConfig("namespaces", "gcr.io/kpt-fn/set-namespace:v0.1", "config.kubernetes.io/function"),
    functionConfig("labels", "gcr.io/kpt-fn/set-labels:v0.1", "config.k8s.io/function"),
  ].join("---\n"),
  "deep/more.yaml": workload,
  "below/Kptfile": formerKptfile(
    "below",
    `openAPI:\n  definitions:\n${setter("tag", "          value: v1\n")}`,
  ),
  "below/web.yaml": workload,
  "below/functions/one.yaml": functionConfig("one", "example.com/one:v1", "config.kubernetes.io/function"),
  "inventory.yaml": `apiVersion: v1
kind: ConfigMap
metadata:
  name: inventory
  labels:
    cli-utils.sigs.k8s.io/inventory-id: abc
data:
  a: nginx # {"$kpt-set":"image"}
`,
};

/** Of kpt between the two. */
export const secondKptfile = (mutators: string): string => `apiVersion: kpt.dev/v1alpha2
kind: Kptfile
metadata:
  name: shop
  annotations:
    a: b
info:
  site: 'https://example.com'
  description: A shop # with a comment
pipeline:
  mutators:
${mutators}`;
