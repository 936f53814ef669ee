import type { Files } from "@capstan/testkit";
import { formerKptfile, formerPackage, secondKptfile } from "./former-packages.ts";
import { gatekeeperCases } from "./gatekeeper-cases.ts";

export interface FunctionCase {
  readonly name: string;
  readonly function: string;
  /** Data of a ConfigMap, or a configuration as YAML. */
  readonly config?: Readonly<Record<string, string>> | string;
  /** Beside or instead of those of the shop. */
  readonly files?: Files;
}

type Sketch = readonly [name: string, config?: FunctionCase["config"], files?: Files];

const of = (name: string, sketches: readonly Sketch[]): FunctionCase[] =>
  sketches.map(([about, config, files]) => ({
    name: `${name}: ${about}`,
    function: name,
    ...(config === undefined ? {} : { config }),
    ...(files === undefined ? {} : { files }),
  }));

const kind = (name: string, body: string): string =>
  `apiVersion: fn.kpt.dev/v1alpha1\nkind: ${name}\nmetadata:\n  name: config\n${body}`;

const map = (name: string, more = ""): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n${more}`;

const lists = map("local", "spec:\n  for: [web, settings] # kpt-set: ${list}\n");

export const functionCases: readonly FunctionCase[] = [
  ...of("set-namespace", [
    ["a ConfigMap", { namespace: "new" }],
    ["of one namespace only", { namespace: "new", namespaceMatcher: "old" }],
    ["of a namespace that is nowhere", { namespace: "new", namespaceMatcher: "none" }],
    ["its own kind", kind("SetNamespace", "namespace: new\n")],
    ["the same once more", { namespace: "old", namespaceMatcher: "old" }],
    ["nothing given", {}],
    ["no configuration"],
    ["another kind", kind("SetSomething", "namespace: new\n")],
    [
      "two Namespaces",
      { namespace: "new" },
      { "more.yaml": "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: jobs\n" },
    ],
  ]),
  ...of("apply-setters", [
    ["scalars and patterns", { app: "api", replicas: "5", image: "httpd", tag: "2.4" }],
    ["one of two in a pattern", { tag: "1.27" }],
    ["a list", { list: "[three, four]" }],
    ["a list as text of lines", map("setters", "data:\n  list: |\n    - three\n    - four\n")],
    ["a scalar where a list is", { list: "three" }],
    ["an empty value", { app: "" }],
    ["numbers and booleans as text", { app: "true", replicas: "1e3", tag: "010" }],
    ["quotes and colons", { app: 'a: "b"', tag: "x#y" }],
    ["a setter that is nowhere", { nothing: "x" }],
    ["a list in one line", { list: "[three]" }, { "local.yaml": lists }],
    ["nothing given", {}],
    ["no configuration"],
    [
      "a value that does not fit",
      { app: "x" },
      {
        "odd.yaml": map(
          "a-b",
          "data:\n  odd: plain # kpt-set: ${app}-suffix\n  two: v1-v2 # kpt-set: ${one}-${two}\n",
        ),
      },
    ],
  ]),
  ...of("create-setters", [
    ["scalars", { greeting: "hello", image: "nginx", tag: "1.25" }],
    ["a list", { both: "[one, two]" }],
    ["longest value first", { a: "web", b: "we", c: "b" }],
    ["a list in one line", { names: "[web, settings]" }],
    ["a scalar in one line", { greeting: "pass" }, { "local.yaml": map("local", "data: {word: pass}\n") }],
    ["nothing that occurs", { x: "does-not-occur" }],
    ["nothing given", {}],
    ["no configuration"],
    ["an empty value", { a: "" }],
  ]),
  ...of("list-setters", [
    ["of a package"],
    ["none", undefined, { "web.yaml": "", "local.yaml": "", "batch/jobs.yaml": "" }],
    ["with a configuration", { x: "y" }],
  ]),
  ...of("search-replace", [
    ["by value, found", { "by-value": "web" }],
    ["by value, replaced", { "by-value": "nginx", "put-value": "httpd" }],
    ["by pattern, found", { "by-value-regex": "^nginx.*" }],
    ["by pattern, replaced by groups", { "by-value-regex": "nginx:(.*)", "put-value": "httpd:${1}" }],
    ["by path", { "by-path": "spec.replicas", "put-value": "7" }],
    ["by path with wildcards", { "by-path": "**.image", "put-value": "x" }],
    ["by path into lists", { "by-path": "spec.template.spec.containers[*].image" }],
    ["by path with an index", { "by-path": "spec.template.spec.containers[0].name", "put-value": "first" }],
    ["a path that is not there yet", { "by-path": "metadata.labels.new", "put-value": "yes" }],
    ["by value and path", { "by-value": "web", "by-path": "metadata.name", "put-value": "api" }],
    ["a comment", { "by-value": "web", "put-comment": "kpt-set: ${web}" }],
    [
      "a comment in one line",
      { "by-value": "pass", "put-comment": "x" },
      { "local.yaml": map("local", "data: {word: pass}\n") },
    ],
    ["a comment by pattern", { "by-value-regex": "nginx:(.*)", "put-comment": "tag ${1}" }],
    ["a number by value", { "by-value": "80", "put-value": "8080" }],
    ["of one file", { "by-value": "nginx", "put-value": "x", "by-file-path": "settings.yaml" }],
    ["of files by pattern", { "by-value-regex": "nginx.*", "put-value": "x", "by-file-path": "batch/*" }],
    ["a pattern that is none", { "by-value-regex": "(" }],
    ["an unknown key", { "by-values": "web" }],
    ["value and pattern", { "by-value": "a", "by-value-regex": "b" }],
    ["a value to put and nothing to find", { "put-value": "x" }],
    ["nothing given", {}],
    ["no configuration"],
  ]),
  ...of("set-annotations", [
    ["a ConfigMap", { team: "shop", "example.com/number": "12" }],
    ["one that is there", { owner: "team-b" }],
    ["its own kind", kind("SetAnnotations", "annotations:\n  team: shop\n")],
    ["its former kind", kind("SetAnnotationConfig", "annotations:\n  team: shop\n")],
    [
      "further fields",
      kind(
        "SetAnnotations",
        "annotations:\n  team: shop\nadditionalAnnotationFields:\n- kind: Widget\n  group: example.com\n  version: v1\n  path: spec/notes\n  create: true\n",
      ),
    ],
    ["special text", { a: "true", b: "1.0", c: "x: y", d: "" }],
    ["another kind", kind("SetLabels", "annotations:\n  team: shop\n")],
    ["nothing given", {}],
    ["no configuration"],
  ]),
  ...of("set-image", [
    ["a tag", { name: "nginx", newTag: "1.27" }],
    ["a name and a digest", { name: "nginx", newName: "httpd", digest: "sha256:abc" }],
    ["its own kind", kind("SetImage", "image:\n  name: busybox\n  newTag: v2\n")],
    [
      "further fields",
      kind(
        "SetImage",
        "image:\n  name: nginx\n  newTag: v2\nadditionalImageFields:\n- kind: Widget\n  group: example.com\n  version: v1\n  path: spec/image\n",
      ),
    ],
    ["an image that is nowhere", { name: "none", newTag: "1" }],
    ["of a registry with a digest", { name: "registry.example.com/team/side", newTag: "v1" }],
    ["tag and digest", { name: "nginx", newTag: "1", digest: "sha256:abc" }],
    ["no name", { newTag: "1" }],
    ["a name alone", { name: "nginx" }],
    ["nothing given", {}],
    ["no configuration"],
  ]),
  ...of("ensure-name-substring", [
    ["prepended", { prepend: "shop-" }],
    ["appended", { append: "-shop" }],
    ["there already", { prepend: "we" }],
    ["its own kind", kind("EnsureNameSubstring", "substring: eu-\neditMode: prepend\n")],
    [
      "further fields",
      kind(
        "EnsureNameSubstring",
        "substring: eu-\neditMode: append\nadditionalNameFields:\n- kind: Widget\n  group: example.com\n  version: v1\n  path: spec/image\n",
      ),
    ],
    ["an edit mode that is none", kind("EnsureNameSubstring", "substring: eu-\neditMode: around\n")],
    ["both", { prepend: "a", append: "b" }],
    ["another key", { prefix: "a" }],
    ["nothing given", {}],
    ["no configuration"],
  ]),
  ...of("fix", [
    ["a package of kpt before 1.0", undefined, formerPackage],
    ["the same without definitions", undefined, { ...formerPackage, Kptfile: formerKptfile("shop", "") }],
    [
      "with parts that are empty",
      undefined,
      { Kptfile: formerKptfile("shop", "packageMetadata: {}\nupstream: {}\n") },
    ],
    ["a package of kpt.dev/v1"],
    [
      "setters in a Kptfile of v1alpha2",
      undefined,
      {
        Kptfile: secondKptfile(
          "  - image: gcr.io/kpt-fn/apply-setters:v0.1\n    configMap:\n      app: web\n      name: x\n      zone: 'yes'\n      list: '[a, b]'\n      number: \"10\"\n      none: \"\"\n  - image: gcr.io/kpt-fn/set-labels:v0.1\n    configMap:\n      a: b\n",
        ),
      },
    ],
    [
      "setters in the second place",
      undefined,
      {
        Kptfile: secondKptfile(
          "  - image: gcr.io/kpt-fn/set-labels:v0.1\n    configMap:\n      a: b\n  - image: gcr.io/kpt-fn/apply-setters:v0.1\n    configMap:\n      app: web\n",
        ),
      },
    ],
    ["a Kptfile of v1alpha2 without functions", undefined, { Kptfile: secondKptfile("  []\n") }],
    ["an unknown field", undefined, { Kptfile: formerKptfile("shop", "packageMetadata:\n  colour: red\n") }],
    ["no Kptfile", undefined, { Kptfile: "" }],
    [
      "a setter without its part",
      undefined,
      {
        Kptfile: formerKptfile(
          "shop",
          "openAPI:\n  definitions:\n    io.k8s.cli.setters.a:\n      type: string\n",
        ),
      },
    ],
    [
      "a list in one line",
      undefined,
      {
        ...formerPackage,
        "web.yaml": map("web", 'data:\n  zones: [dev, stage] # {"$kpt-set":"zones"}\n'),
      },
    ],
    ["a configuration that it has no use for", { a: "b" }],
  ]),
  ...of(
    "gatekeeper",
    gatekeeperCases.map(([about, files]) => [about, undefined, files] as const),
  ),
  ...of("upsert-resource", [
    ["a new one", map("fresh", "data:\n  a: b # kept\n")],
    ["one that is there", map("settings", "  namespace: old\ndata:\n  greeting: bye\n")],
    ["of another namespace", map("settings", "  namespace: other\ndata:\n  greeting: bye\n")],
    [
      "a list",
      "apiVersion: v1\nkind: List\nmetadata:\n  name: list\nitems:\n- apiVersion: v1\n  kind: Namespace\n  metadata: {name: old, labels: {a: b}}\n- apiVersion: v1\n  kind: Namespace\n  metadata: {name: third}\n",
    ],
    ["no configuration"],
  ]),
  ...of("remove-local-config-resources", [
    ["of a package"],
    ["none", undefined, { Kptfile: "", "local.yaml": "" }],
    ["with a configuration", { a: "b" }],
  ]),
  ...of("set-enforcement-action", [
    ["warn", { enforcementAction: "warn" }],
    ["dryrun", { enforcementAction: "dryrun" }],
    ["of no such name", { enforcementAction: "shout" }],
    ["no policy", { enforcementAction: "deny" }, { "policy.yaml": "" }],
    ["nothing given", {}],
    ["no configuration"],
  ]),
];
