import assert from "node:assert/strict";
import { once } from "node:events";
import { open, symlink } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import {
  type ApplicationSketch,
  type ApplicationView,
  type CapstanProcess,
  createGitRepository,
  type GitRepository,
  isSettled,
  sketchApplication,
  startCapstan,
  untilApplication,
} from "@capstan/testkit";

const configMap = (name: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n`;
const chart = "apiVersion: v2\nname: broken\nversion: 0.1.0\n";

let capstan: CapstanProcess;
let repository: GitRepository;

before(async () => {
  capstan = await startCapstan({ flags: ["--no-samples"], env: { GIT_ASKPASS: "/bin/false" } });
  repository = await createGitRepository({
    "good/config.yaml": configMap("good"),
    "bad-yaml/one.yaml": `${configMap("first")}---\n${configMap("second")}---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: third\n data: {}\n`,
    "broken-chart/Chart.yaml": chart,
    "broken-chart/templates/one.yaml": '{{ required "a colour is needed" .Values.colour }}\n',
    "link/config.yaml": configMap("link"),
    "emptied/config.yaml": configMap("emptied"),
  });
  await symlink("/etc/hostname", join(repository.dir, "link", "outside.yaml"));
  await repository.commit({}, "a link out of the repository");
});

after(async () => {
  await capstan?.[Symbol.asyncDispose]();
  await repository?.[Symbol.asyncDispose]();
});

async function conditionsOf(
  sketch: Omit<ApplicationSketch, "repoURL"> & { repoURL?: string },
): Promise<ApplicationView> {
  const application = sketchApplication({ repoURL: repository.url, ...sketch });
  await capstan.kube.create(application, { fieldManager: "test", signal: AbortSignal.timeout(100_000) });
  return untilApplication(capstan.kube, sketch.name, ({ conditions }) => conditions.length > 0);
}

interface Case {
  fact: string;
  sketch: Omit<ApplicationSketch, "repoURL"> & { repoURL?: string };
  type: string;
  says: readonly RegExp[];
}

const cases: readonly Case[] = [
  {
    fact: "an unknown repository is named",
    sketch: { name: "no-repository", repoURL: "file:///nowhere/at-all.git" },
    type: "ComparisonError",
    says: [/file:\/\/\/nowhere\/at-all\.git/],
  },
  {
    fact: "a missing path is named with its revision",
    sketch: { name: "no-path", path: "not/there" },
    type: "ComparisonError",
    says: [/not\/there/],
  },
  {
    fact: "a YAML error names file, document and line",
    sketch: { name: "bad-yaml", path: "bad-yaml" },
    type: "ComparisonError",
    says: [/bad-yaml\/one\.yaml/, /document 3/, /line 1[45]/],
  },
  {
    fact: "two tools in one source are both named",
    sketch: {
      name: "two-tools",
      path: "good",
      source: { helm: { releaseName: "x" }, kustomize: { namePrefix: "y-" } },
    },
    type: "InvalidSpecError",
    says: [/helm/i, /kustomize/i],
  },
  {
    fact: "an unknown project is named",
    sketch: { name: "no-project", path: "good", project: "absent" },
    type: "InvalidSpecError",
    says: [/absent/],
  },
  {
    fact: "a failing chart shows what helm said",
    sketch: { name: "broken-chart", path: "broken-chart" },
    type: "ComparisonError",
    says: [/helm/, /a colour is needed/],
  },
  {
    fact: "a link out of the repository is refused and named",
    sketch: { name: "link", path: "link" },
    type: "ComparisonError",
    says: [/link\/outside\.yaml/, /outside/],
  },
];

for (const { fact, sketch, type, says } of cases)
  test(fact, async () => {
    const { conditions, sync } = await conditionsOf(sketch);
    assert.equal(sync, "Unknown");
    const found = conditions.find((one) => one.type === type);
    assert.ok(found, `no ${type} in ${JSON.stringify(conditions)}`);
    for (const pattern of says) assert.match(found.message, pattern);
    assert.doesNotMatch(found.message.replaceAll(repository.url, ""), /\/tmp\/|node_modules| at .*\.ts:/);
  });

test("a destination that the project forbids is named with the project", async () => {
  const project = {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "AppProject",
    metadata: { name: "narrow", namespace: "argocd" },
    spec: { sourceRepos: ["*"], destinations: [{ server: "*", namespace: "allowed-*" }] },
  };
  await capstan.kube.create(project, { fieldManager: "test", signal: AbortSignal.timeout(100_000) });
  const { conditions } = await conditionsOf({ name: "forbidden", path: "good", project: "narrow" });
  assert.equal(conditions[0]?.type, "InvalidSpecError");
  assert.match(conditions[0]?.message ?? "", /forbidden.*narrow|narrow.*forbidden/s);
});

test("an empty render does not prune without allowEmpty", async () => {
  const sketch = sketchApplication({ name: "emptied", repoURL: repository.url, path: "emptied" });
  const signal = AbortSignal.timeout(100_000);
  await capstan.kube.create(sketch, { fieldManager: "test", signal });
  await untilApplication(capstan.kube, "emptied", isSettled);
  const revision = await repository.commit({
    "emptied/config.yaml": undefined,
    "emptied/README.md": "nothing",
  });
  const { body } = await capstan.api("GET", "/api/v1/applications/emptied?refresh=normal");
  assert.ok(body);
  const { conditions } = await untilApplication(
    capstan.kube,
    "emptied",
    (view) => view.revision === revision && view.conditions.length > 0,
  );
  assert.match(conditions[0]?.message ?? "", /wipe out all resources/);
  const kept = await capstan.kube.get(
    { apiVersion: "v1", kind: "ConfigMap", namespace: "emptied", name: "emptied" },
    signal,
  );
  assert.ok(kept);
});

/** Of 1 GB, and without being read: packages/render/src/bad-input.long.test.ts. */
test("a file that is too large is refused by its size", async (t) => {
  await using large = await createGitRepository({ "app/config.yaml": configMap("large") });
  const path = join(large.dir, "app", "huge.yaml");
  const file = await open(path, "w");
  await file.truncate(65 * 1024 ** 2);
  await file.close();
  await large.commit({}, "a huge file");
  t.after(() => capstan.api("DELETE", "/api/v1/applications/large"));
  const { conditions } = await conditionsOf({ name: "large", repoURL: large.url, path: "app" });
  assert.match(conditions[0]?.message ?? "", /app\/huge\.yaml has 65 MiB, more than the limit of 64 MiB/);
});

test("a repository that wants a password fails at once, without a prompt", async (t) => {
  const server = createServer((_request, response) => {
    response.writeHead(401, { "www-authenticate": 'Basic realm="private"' });
    response.end("who are you?");
  }).listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  const repoURL = `http://127.0.0.1:${port}/private.git`;
  const { conditions } = await conditionsOf({ name: "private", repoURL });
  assert.match(conditions[0]?.message ?? "", new RegExp(`127\\.0\\.0\\.1:${port}/private\\.git`));
  assert.match(conditions[0]?.message ?? "", /password|credentials|authentication/i);
});
