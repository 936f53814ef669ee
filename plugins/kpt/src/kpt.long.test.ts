import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isRecord } from "@capstan/formats";
import type { WithImage } from "@capstan/plugin-kit";
import { failsWith, startWorld } from "@capstan/testkit/render-world";
import { kpt } from "./kpt.ts";

const kptfile = (steps: readonly string[] = [], version = "v1"): string =>
  `apiVersion: kpt.dev/${version}\nkind: Kptfile\nmetadata:\n  name: web\npipeline:\n  mutators:\n${steps.map((step) => `  - ${step}\n`).join("")}`;
const service =
  "apiVersion: v1\nkind: Service\nmetadata:\n  name: web # kpt-set: ${name}\nspec:\n  selector:\n    app: web\n";

interface Asked {
  files: Record<string, string>;
  parameters?: { name: string; string?: string; map?: Record<string, string> }[];
  operator?: Record<string, string>;
  /** Whether the application names the plugin; else it is found by the Kptfile. */
  isNamed?: boolean;
}

async function render({ files, parameters = [], operator = {}, isNamed = true }: Asked) {
  const withImage: WithImage = async (image, _around, work) => {
    if (image !== "registry.example.com/team/copy:v1") throw new Error(`there is no ${image}`);
    return work({ root: "/", command: ["cat"], env: {}, directory: "/" });
  };
  await using world = await startWorld({ plugins: [kpt(operator, { withImage })] });
  world.repository.commit(
    Object.fromEntries(Object.entries(files).map(([path, content]) => [`app/${path}`, content])),
  );
  const plugin = { ...(isNamed ? { name: "kpt" } : {}), parameters };
  const { manifests } = await world.render({
    path: "app",
    ...(isNamed || parameters.length > 0 ? { plugin } : {}),
  });
  return manifests.map(({ manifest, origin }) => ({ manifest, origin }));
}

test("a package is found by its Kptfile and rendered as argocd-cmp-kpt does", async (t) => {
  const folder = join(import.meta.dirname, "../../../../shared/corpus/argocd-cmp-kpt/example/kpt-app");
  if (!existsSync(folder))
    return t.skip("the example of argocd-cmp-kpt is not on this machine (../shared/corpus)");
  const files = Object.fromEntries(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]),
  );
  const rendered = await render({ files, isNamed: false });
  assert.deepEqual(
    rendered.map(({ manifest }) => manifest.kind),
    ["Deployment", "Service"],
  );
  for (const { manifest } of rendered) {
    assert.deepEqual(
      Object.keys(manifest.metadata.annotations ?? {}).map((key) => key.split("/")[1]),
      ["app", "branch", "path", "repo", "rev"],
    );
    assert.equal(manifest.metadata.annotations?.["argocd.my-org.io/path"], "app");
    assert.equal(manifest.metadata.labels?.env, "test");
  }
});

test("the domain can be another, or none; the origin of an object is its file", async () => {
  const files = {
    Kptfile: kptfile(["image: set-labels:v0.2.0\n    configMap: {tier: back}"]),
    "svc/web.yaml": service,
  };
  const own = await render({
    files,
    parameters: [{ name: "annotation-domain", string: "team.example.com" }],
  });
  assert.ok(own[0]?.manifest.metadata.annotations?.["team.example.com/rev"]);
  const [none] = await render({ files, parameters: [{ name: "annotation-domain", string: "none" }] });
  assert.equal(none?.manifest.metadata.annotations, undefined);
  assert.deepEqual(none?.origin, { file: "app/svc/web.yaml", document: 1 });
});

test("setters of the application win over those of the Kptfile, and need none there", async () => {
  const parameters = [
    { name: "setters", map: { name: "shop" } },
    { name: "annotation-domain", string: "none" },
  ];
  const own = {
    Kptfile: kptfile(["image: apply-setters:v0.2.0\n    configMap: {name: other}"]),
    "web.yaml": service,
  };
  for (const files of [
    own,
    { ...own, Kptfile: kptfile(["image: set-labels:v0.2.0\n    configMap: {a: b}"]) },
  ]) {
    const [one] = await render({ files, parameters });
    assert.equal(one?.manifest.metadata.name, "shop");
  }
});

test("a parameter of another shape is refused, not passed over", async () => {
  const files = {
    Kptfile: kptfile(["image: set-labels:v0.2.0\n    configMap: {a: b}"]),
    "web.yaml": service,
  };
  await assert.rejects(
    render({ files, parameters: [{ name: "setters", string: "name=shop" }] }),
    failsWith({ code: "INVALID_ARGUMENT" }, /parameter setters: is a map: write setters\[NAME\]=VALUE/),
  );
  await assert.rejects(
    render({ files, parameters: [{ name: "keep-local-config", string: "yes" }] }),
    failsWith({ code: "INVALID_ARGUMENT" }, /keep-local-config: "yes" is neither true nor false/),
  );
});

test("a program runs only where the operator allows it by name", async () => {
  const files = { Kptfile: kptfile(["exec: cat"]), "web.yaml": service };
  const refused = failsWith({ code: "PLUGIN_FAILED", plugin: "kpt", file: "app/Kptfile" }, /--allow-exec/);
  await assert.rejects(render({ files }), refused);
  const other = failsWith(
    { code: "PLUGIN_FAILED" },
    /exec "cat" is not one of the programs that the operator allows: sed/,
  );
  await assert.rejects(render({ files, operator: { CAPSTAN_KPT_EXEC: "sed" } }), other);
  const [one] = await render({ files, operator: { CAPSTAN_KPT_EXEC: "sed,cat" } });
  assert.ok(isRecord(one?.manifest) && one.manifest.metadata.name === "web");
});

test("what a program found is told although it failed", async () => {
  const command = `exec: |-\n      sh -c "cat; printf 'results:\\n- message: too small\\n'; echo spoken >&2; exit 3"`;
  const files = { Kptfile: kptfile([command]), "web.yaml": service };
  const refused = failsWith({ code: "PLUGIN_FAILED", file: "app/Kptfile" }, /too small; spoken/);
  await assert.rejects(render({ files, operator: { CAPSTAN_KPT_EXEC: "sh" } }), refused);
});

test("a program that is allowed and not installed is told by its name", async () => {
  const files = { Kptfile: kptfile(["exec: not-installed-here"]), "web.yaml": service };
  const refused = failsWith({ code: "PLUGIN_FAILED" }, /not-installed-here.*PATH/s);
  await assert.rejects(render({ files, operator: { CAPSTAN_KPT_EXEC: "not-installed-here" } }), refused);
});

const onPath = (program: string) =>
  (process.env.PATH ?? "").split(":").some((folder) => existsSync(join(folder, program)));
const lacksSandbox = onPath("bwrap") ? false : "bubblewrap is not installed";
const lacksOpa = onPath("opa") ? false : "opa is not on PATH";

test("an image runs only where the operator allows it by its name", { skip: lacksSandbox }, async () => {
  const files = { Kptfile: kptfile(["image: registry.example.com/team/copy:v1"]), "web.yaml": service };
  const refused = failsWith(
    { code: "PLUGIN_FAILED", file: "app/Kptfile" },
    /copy:v1".*in CAPSTAN_KPT_IMAGES/,
  );
  const list = (CAPSTAN_KPT_IMAGES: string) => ({ CAPSTAN_KPT_IMAGES, PATH: process.env.PATH ?? "" });
  await assert.rejects(render({ files }), refused);
  await assert.rejects(render({ files, operator: list("registry.example.com/te") }), refused);
  const [one] = await render({ files, operator: list("registry.example.com/team") });
  assert.ok(isRecord(one?.manifest) && one.manifest.metadata.name === "web");
});

test("a policy of the package stops its render with what it violates", { skip: lacksOpa }, async () => {
  const rego = `package deny\n      violation[{"msg": "no"}] {\n        input.review.object.spec\n      }\n`;
  const policy = [
    `apiVersion: templates.gatekeeper.sh/v1\nkind: ConstraintTemplate\nmetadata:\n  name: deny\nspec:`,
    `  crd: {spec: {names: {kind: Deny}}}\n  targets:\n  - target: admission.k8s.gatekeeper.sh\n    rego: |\n      ${rego}---`,
    `apiVersion: constraints.gatekeeper.sh/v1beta1\nkind: Deny\nmetadata:\n  name: refused`,
    `spec:\n  match: {kinds: [{apiGroups: [""], kinds: [Service]}]}\n`,
  ].join("\n");
  const files = {
    Kptfile: kptfile(["image: gatekeeper:v0.2.1"]),
    "web.yaml": service,
    "policy.yaml": policy,
  };
  await assert.rejects(
    render({ files, operator: { PATH: process.env.PATH ?? "" } }),
    failsWith(
      { code: "PLUGIN_FAILED", file: "app/Kptfile" },
      /v1\/Service\/web.*violatedConstraint: refused/s,
    ),
  );
});

/** Every refusal names the package's Kptfile, what is wrong and what to do. */
const refusals: [name: string, files: Record<string, string>, message: RegExp][] = [
  [
    "an unknown function",
    { Kptfile: kptfile(["image: example.com/x/nobody-knows:v1"]) },
    /nobody-knows:v1" is not one of those that run here/,
  ],
  [
    "a Kptfile of an unknown version",
    { Kptfile: kptfile([], "v2") },
    /unknown resource type \("kpt\.dev\/v2, Kind=Kptfile"\)/,
  ],
  [
    "a function that fails",
    { Kptfile: kptfile(["image: set-image:v0.1.1\n    configMap: {newTag: a}"]), "web.yaml": service },
    /set-image:v0\.1\.1 failed: \[error\]: must specify `name`/,
  ],
];

for (const [name, files, message] of refusals)
  test(`refused: ${name}`, async () => {
    await assert.rejects(
      render({ files }),
      failsWith({ code: "PLUGIN_FAILED", plugin: "kpt", file: "app/Kptfile" }, message),
    );
  });

const script = (source: string): string =>
  `apiVersion: fn.kpt.dev/v1alpha1\nkind: StarlarkRun\nmetadata:\n  name: run\n  annotations:\n    config.kubernetes.io/local-config: "true"\nsource: |\n${source
    .split("\n")
    .map((line) => `  ${line}\n`)
    .join("")}`;

/** Scripts of a package that must not get what they want, each with what its author is told. */
const scripts: [name: string, source: string, message: RegExp][] = [
  ["never ends", "while True:\n  pass", /starlark:latest failed: \[error\]: .*too many steps/],
  [
    "writes outside its package",
    'for r in ctx.resource_list["items"]:\n  r["metadata"]["annotations"]["internal.config.kubernetes.io/path"] = "../../up.yaml"',
    /function must not modify resources outside of package: resource has path \.\.\/\.\.\/up\.yaml/,
  ],
  ["is wrong", "x = [", /\[error\]: run:\d+:\d+: got /],
  ["gives up", 'fail("no limits set")', /\[error\]: fail: no limits set/],
];

for (const [name, source, message] of scripts)
  test(`a script that ${name} fails the render, with its words`, async () => {
    const files = {
      Kptfile: kptfile(["image: starlark\n    configPath: run.yaml"]),
      "run.yaml": script(source),
      "web.yaml": service,
    };
    await assert.rejects(
      render({ files }),
      failsWith({ code: "PLUGIN_FAILED", plugin: "kpt", file: "app/Kptfile" }, message),
    );
  });

test("a script changes resources, and its own file is not given out", async () => {
  const source =
    'for r in ctx.resource_list["items"]:\n  if r["kind"] == "Service":\n    r["spec"]["ports"] = [{"port": 80}]';
  const files = {
    Kptfile: kptfile(["image: starlark:v0.5.0\n    configPath: run.yaml"]),
    "run.yaml": script(source),
    "web.yaml": service,
  };
  const rendered = await render({ files, parameters: [{ name: "annotation-domain", string: "none" }] });
  assert.deepEqual(
    rendered.map(({ manifest }) => manifest.spec),
    [{ selector: { app: "web" }, ports: [{ port: 80 }] }],
  );
});

test("a chart in the package is rendered by helm and goes through the functions after it", async () => {
  const config = JSON.stringify({
    apiVersion: "fn.kpt.dev/v1alpha1",
    kind: "RenderHelmChart",
    metadata: { name: "lamp", annotations: { "config.kubernetes.io/local-config": "true" } },
    helmGlobals: { chartHome: "charts" },
    helmCharts: [
      {
        chartArgs: { name: "lamp" },
        templateOptions: { releaseName: "my", values: { valuesInline: { colour: "green" } } },
      },
    ],
  });
  const files = {
    Kptfile: kptfile([
      "image: render-helm-chart:v0.2.2\n    configPath: chart.yaml",
      "image: set-labels:v0.2.0\n    configMap: {tier: back}",
    ]),
    ".krmignore": "charts\n",
    "chart.yaml": config,
    "charts/lamp/Chart.yaml": "apiVersion: v2\nname: lamp\nversion: 1.0.0\n",
    "charts/lamp/values.yaml": "colour: red\n",
    "charts/lamp/templates/map.yaml":
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: '{{ .Release.Name }}'}\ndata: {colour: '{{ .Values.colour }}'}\n",
  };
  const parameters = [{ name: "annotation-domain", string: "none" }];
  const [one, ...more] = await render({ files, parameters });
  assert.deepEqual(more, []);
  assert.deepEqual(one?.manifest.metadata, { name: "my", labels: { tier: "back" } });
  assert.deepEqual(one?.manifest.data, { colour: "green" });
  const outside = { ...files, "chart.yaml": config.replace('"charts"', '"../charts"') };
  await assert.rejects(
    render({ files: outside }),
    failsWith(
      { code: "PLUGIN_FAILED", plugin: "kpt", file: "app/Kptfile" },
      /chart "\.\.\/charts\/lamp" lies outside of the package/,
    ),
  );
});
