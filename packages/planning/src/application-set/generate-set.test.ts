/** What a set makes of what others answer: plugins' servers and objects that decide on clusters. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { after, before, type TestContext, test } from "node:test";
import { HostCalls } from "@capstan/git-hosts";
import { isApplicationSet, type Manifest } from "@capstan/model";
import { realClock, sketchProject } from "@capstan/testkit";
import { openSmallWorld, type SmallWorld } from "@capstan/testkit/worlds";
import { generateSet } from "./generate-set.ts";

const namespace = "argocd";
const limit = () => AbortSignal.timeout(60_000);
let world: SmallWorld;

before(async () => {
  world = await openSmallWorld();
  await world.stopController();
  await create(secretOf("plugin-secret", { token: "two" }, { "app.kubernetes.io/part-of": "argocd" }));
  await create(secretOf("plugin-alien", { token: "three" }, {}));
  await create(placements);
});
after(() => world[Symbol.asyncDispose]());

const create = (object: Manifest) => world.kube.create(object, { signal: limit() });

function secretOf(name: string, stringData: Record<string, string>, labels: Record<string, string>) {
  return { apiVersion: "v1", kind: "Secret", metadata: { name, namespace, labels }, stringData };
}

const configMap = (name: string, data: Record<string, string>, at = namespace): Promise<Manifest> =>
  create({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: at }, data });

interface Made {
  name: string;
  path: string;
}

/** Of each Application its name and the path of its source; else the message. */
async function make(spec: Record<string, unknown>, path: string): Promise<Made[] | string> {
  const set: unknown = {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "ApplicationSet",
    metadata: { name: "asked", namespace: "team" },
    spec: {
      template: {
        metadata: { name: spec.goTemplate ? "{{.name}}" : "{{name}}" },
        spec: {
          project: "default",
          source: { repoURL: "https://git.example/x", path },
          destination: { name: "in-cluster" },
        },
      },
      ...spec,
    },
  };
  assert.ok(isApplicationSet(set));
  const { repo, kube, settings } = world;
  const hosts = new HostCalls(realClock);
  const needs = { repo, kube, hosts, settings, clock: realClock, controlNamespace: namespace };
  const made = await generateSet({ ...needs, findProject: () => sketchProject("default") }, { set }, limit());
  if (made.kind === "failed") return made.message;
  return made.applications.map(({ application: { metadata, spec: of } }) => ({
    name: metadata.name,
    path: of.source?.path ?? "",
  }));
}

interface Asked {
  readonly path: string | undefined;
  readonly headers: readonly (string | undefined)[];
  readonly body: unknown;
}

async function serve(t: TestContext, answer: RequestListener): Promise<{ url: string; asked: Asked[] }> {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    const { authorization, "content-type": type } = request.headers;
    asked.push({
      path: `${request.method} ${request.url}`,
      headers: [authorization, type],
      body: JSON.parse(text),
    });
    answer(request, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return { url: typeof address === "object" && address ? `http://127.0.0.1:${address.port}` : "", asked };
}

const plugin = (name: string, more: object = {}) => [{ plugin: { configMapRef: { name }, ...more } }];

test("a plugin's server is asked as Argo CD asks it, and each object of its answer is a set", async (t) => {
  const parameters = [{ name: "one", deep: { n: 1000000, list: ["a", true] } }, { name: "two" }];
  const { url, asked } = await serve(t, (_, response) =>
    response.end(JSON.stringify({ output: { parameters } })),
  );
  await configMap("plugin-asked", { baseUrl: `${url}/base/`, token: "$plugin-secret:token" });
  const input = { parameters: { key: "value", map: { in: [1, "x"] } } };
  const values = { v: "{{name}}-{{deep.n}}" };
  assert.deepEqual(
    await make(
      { generators: plugin("plugin-asked", { input, values }) },
      "{{deep.n}} {{deep.list.1}} {{values.v}}",
    ),
    [
      { name: "one", path: "1e+06 true one-1e+06" },
      { name: "two", path: "{{deep.n}} {{deep.list.1}} two-{{deep.n}}" },
    ],
  );
  assert.deepEqual(asked, [
    {
      path: "POST /base/api/v1/getparams.execute",
      headers: ["Bearer two", "application/json"],
      body: { applicationSetName: "asked", input },
    },
  ]);
  assert.deepEqual(
    await make(
      {
        goTemplate: true,
        generators: plugin("plugin-asked", { input, values: { v: "{{.name}}" } }),
      },
      '{{.deep}} {{.values.v}} {{.generator.input.parameters.key}} {{index .generator.input.parameters.map "in"}}',
    ),
    [
      { name: "one", path: "map[list:[a true] n:1e+06] one value [1 x]" },
      { name: "two", path: "<no value> two value [1 x]" },
    ],
  );
});

test("within a matrix a plugin is asked for each set of the generator before it", async (t) => {
  const { url, asked } = await serve(t, (_, response) => {
    const last: unknown = asked.at(-1)?.body;
    const name = JSON.stringify(last).includes('"red"') ? "r" : "b";
    response.end(JSON.stringify({ output: { parameters: [{ name }] } }));
  });
  await configMap("plugin-matrix", { baseUrl: url, token: "$plugin-secret:token" });
  const elements = [{ color: "red" }, { color: "blue" }];
  const inner = plugin("plugin-matrix", { input: { parameters: { color: "{{.color}}" } } });
  const generators = [{ matrix: { generators: [{ list: { elements } }, ...inner] } }];
  assert.deepEqual(await make({ goTemplate: true, generators }, "{{.color}}"), [
    { name: "r", path: "red" },
    { name: "b", path: "blue" },
  ]);
});

test("a plugin's server that fails, lies, hangs, leads elsewhere or answers too much fails the set", async (t) => {
  let answer: RequestListener = () => undefined;
  const { url, asked } = await serve(t, (request, response) => answer(request, response));
  const data = { baseUrl: url, token: "$plugin-secret:token" };
  await configMap("plugin-bad", data);
  await configMap("plugin-late", { ...data, requestTimeout: "1" });
  const ask = (name = "plugin-bad") => make({ generators: plugin(name) }, "x");
  const say = (status: number, body: string, headers: Record<string, string> = {}) => {
    answer = (_, response) => response.writeHead(status, headers).end(body);
    return ask();
  };
  const at = "spec.generators[0]: plugin plugin-bad:";
  assert.equal(await say(500, '{"message":"no luck"}'), `${at} its server answers 500: no luck`);
  assert.equal(
    await say(403, "Bearer two is unknown"),
    `${at} its server answers 403: Bearer *** is unknown`,
  );
  assert.equal(await say(200, ""), `${at} what its server answers is no JSON: Unexpected end of JSON input`);
  assert.equal(await say(200, "{}"), `${at} what its server answers has no list output.parameters`);
  assert.equal(
    await say(200, '{"output":{"parameters":["x"]}}'),
    `${at} output.parameters[0] of what its server answers is no object`,
  );
  assert.deepEqual(await say(200, '{"output":{"parameters":null}}'), []);
  assert.match(
    String(await say(200, `{"output":${"[".repeat(5000)}${"]".repeat(5000)}}`)),
    /nested more than/,
  );
  assert.match(String(await say(200, " ".repeat(10_000_000))), /larger than 8388608 bytes/);
  asked.length = 0;
  assert.equal(
    await say(307, "", { location: `${url}/elsewhere` }),
    `${at} its server answers 307: nothing more`,
  );
  assert.equal(asked.length, 1);
  answer = () => undefined;
  assert.match(String(await ask("plugin-late")), /gave no answer within 1 s/);
});

test("where a plugin is and by which token it knows us, the control namespace says alone", async () => {
  const data = { baseUrl: "http://127.0.0.1:9", token: "$plugin-secret:token" };
  await create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } });
  await configMap("plugin-elsewhere", data, "team");
  await configMap("plugin-half", { baseUrl: data.baseUrl });
  await configMap("plugin-plain", { ...data, token: "secret" });
  await configMap("plugin-alien", { ...data, token: "$plugin-alien:token" });
  await configMap("plugin-nowhere", { ...data, token: "$nothing" });
  await configMap("plugin-timeout", { ...data, requestTimeout: "1h" });
  await configMap("plugin-file", { ...data, baseUrl: "file:///etc" });
  const facts: [string, RegExp][] = [
    ["plugin-elsewhere", /there is no ConfigMap "plugin-elsewhere" with baseUrl and token in .* argocd$/],
    ["plugin-half", /there is no ConfigMap "plugin-half" with baseUrl and token in the namespace argocd$/],
    ["../../team/configmaps/plugin-elsewhere", /is no name of an object/],
    ["plugin-plain", /its token is no reference to a Secret: write \$key or \$secret:key$/],
    [
      "plugin-alien",
      /Secret plugin-alien has no token, or not the label app.kubernetes.io\/part-of: argocd$/,
    ],
    ["plugin-nowhere", /its token is \$nothing, and the Secret argocd-secret has no nothing$/],
    ["plugin-timeout", /its requestTimeout is 1h: it may be 1 to 300 seconds$/],
    ["plugin-file", /is no address of HTTP/],
  ];
  for (const [name, says] of facts) assert.match(String(await make({ generators: plugin(name) }, "x")), says);
});

const group = "decide.example";
const placements: Manifest = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `placements.${group}` },
  spec: {
    group,
    scope: "Namespaced",
    names: { plural: "placements", kind: "Placement" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};

const place = (name: string, status: object | undefined, at = namespace): Promise<Manifest> =>
  create({
    apiVersion: `${group}/v1`,
    kind: "Placement",
    metadata: { name, namespace: at, labels: { of: name.split("-")[0] ?? "" } },
    ...(status ? { status } : {}),
  });

const decide = (configMapRef: string, more: object) => [
  { clusterDecisionResource: { configMapRef, ...more } },
];

test("an object's status decides on clusters: by name, by labels, with values that are no templates", async () => {
  const kind = { apiVersion: `${group}/v1`, kind: "placements", matchKey: "clusterName" };
  await configMap("decide", kind);
  await configMap("decide-other", { ...kind, statusListKey: "decisions" });
  await configMap("decide-nothing", { apiVersion: kind.apiVersion, kind: kind.kind });
  const clusters = [
    { clusterName: "in-cluster", weight: 12345678, more: { a: 1 } },
    { clusterName: "unknown" },
    { other: "in-cluster" },
  ];
  await place("east-1", { clusters });
  await place("east-2", { clusters: [{ clusterName: "in-cluster", name: "east-two" }] });
  await place("west-1", { decisions: [{ clusterName: "in-cluster" }] });
  const of = (name: string, more: object, path: string) => make({ generators: decide(name, more) }, path);
  assert.deepEqual(
    await of(
      "decide",
      { name: "east-1", values: { v: "{{name}}" } },
      "{{server}} {{weight}} {{more}} {{values.v}}",
    ),
    [{ name: "in-cluster", path: "https://kubernetes.default.svc 12345678 map[a:1] {{name}}" }],
  );
  const labelSelector = { matchLabels: { of: "east" } };
  assert.deepEqual(
    await make(
      { goTemplate: true, generators: decide("decide", { labelSelector, values: { v: "{{.name}}" } }) },
      "{{.clusterName}} {{.values.v}}",
    ),
    [
      { name: "in-cluster", path: "in-cluster {{.name}}" },
      { name: "east-two", path: "in-cluster {{.name}}" },
    ],
  );
  assert.deepEqual(await of("decide-other", { name: "west-1" }, "x"), [{ name: "in-cluster", path: "x" }]);
  assert.deepEqual(await of("decide-nothing", { name: "east-1" }, "x"), []);
});

test("a decision that is not there, or is none, fails the set; no other kind or namespace is read", async () => {
  await configMap("decide-core", { apiVersion: "v1", kind: "secrets" });
  await configMap("decide-wide", { apiVersion: "rbac.authorization.k8s.io/v1", kind: "clusterroles" });
  await configMap("decide-path", { apiVersion: `${group}/v1`, kind: "../../../api/v1/secrets" });
  await place("late-1", undefined);
  await place("odd-1", { clusters: "all" });
  await place("odd-2", { clusters: ["all"] });
  await place("away-1", { clusters: [] }, "team");
  const facts: [string, object, RegExp][] = [
    ["decide", { name: "none" }, /decision decide: there is no Placement "none" in the namespace argocd$/],
    ["decide", { name: "away-1" }, /there is no Placement "away-1" in the namespace argocd$/],
    ["decide", { labelSelector: { matchLabels: { of: "away" } } }, /no Placement with these labels in/],
    ["decide", { name: "late-1" }, /nothing is decided yet: there is no status$/],
    ["decide", { name: "odd-1" }, /status\.clusters of odd-1 is no list$/],
    ["decide", { name: "odd-2" }, /status\.clusters\[0\] of odd-2 is no object$/],
    ["decide", {}, /give it either a name or a labelSelector$/],
    ["decide", { name: "east-1", labelSelector: { matchLabels: {} } }, /either a name or a labelSelector$/],
    ["decide-core", { name: "argocd-secret" }, /its apiVersion is v1: it has to be group\/version$/],
    ["decide-wide", { name: "admin" }, /clusterroles of rbac.* are in no namespace, and are not read$/],
    ["decide-path", { name: "argocd-secret" }, /the cluster has no resource \.\..* of decide\.example\/v1$/],
    ["decide-absent", { name: "x" }, /no ConfigMap "decide-absent" with apiVersion and kind in/],
  ];
  for (const [name, more, says] of facts)
    assert.match(String(await make({ generators: decide(name, more) }, "x")), says);
});
