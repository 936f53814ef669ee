import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { lackingTools } from "../test-tools.ts";
import { startToolCluster, type ToolCluster } from "../tool-cluster.ts";

const files: Record<string, string> = {
  "Chart.yaml": "apiVersion: v2\nname: visitors\nversion: 0.1.0\nappVersion: '1.0'\n",
  "values.yaml": "replicas: 2\nimage: visitors:1\nmigration: echo migrated\nsimulate: ''\n",
  "templates/deployment.yaml": `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
spec:
  replicas: {{ .Values.replicas }}
  progressDeadlineSeconds: 60
  selector: { matchLabels: { release: {{ .Release.Name }} } }
  template:
    metadata:
      labels: { release: {{ .Release.Name }} }
      annotations: { capstan.dev/simulate: "{{ .Values.simulate }}" }
    spec:
      containers:
        - name: visitors
          image: {{ .Values.image }}
          envFrom: [{ configMapRef: { name: {{ .Release.Name }} } }]
`,
  "templates/service.yaml": `
apiVersion: v1
kind: Service
metadata: { name: {{ .Release.Name }} }
spec: { type: LoadBalancer, selector: { release: {{ .Release.Name }} }, ports: [{ port: 80, targetPort: 8080 }] }
`,
  "templates/configmap.yaml": `
apiVersion: v1
kind: ConfigMap
metadata: { name: {{ .Release.Name }} }
data: { greeting: hello }
`,
  "templates/database.yaml": `
apiVersion: apps/v1
kind: StatefulSet
metadata: { name: {{ .Release.Name }}-db }
spec:
  serviceName: {{ .Release.Name }}-db
  selector: { matchLabels: { db: {{ .Release.Name }} } }
  template:
    metadata: { labels: { db: {{ .Release.Name }} } }
    spec: { containers: [{ name: db, image: "db:1" }] }
  volumeClaimTemplates:
    - metadata: { name: data }
      spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
`,
  "templates/migrate.yaml": `
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .Release.Name }}-migrate
  annotations:
    helm.sh/hook: pre-install,pre-upgrade
    helm.sh/hook-delete-policy: before-hook-creation
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      containers: [{ name: migrate, image: busybox, command: [sh, -c, {{ .Values.migration | quote }}] }]
`,
  "templates/check.yaml": `
apiVersion: v1
kind: Pod
metadata:
  name: {{ .Release.Name }}-check
  annotations: { helm.sh/hook: test, helm.sh/hook-delete-policy: before-hook-creation }
spec:
  restartPolicy: Never
  containers: [{ name: check, image: busybox, command: [sh, -c, "echo checked"] }]
`,
};

const corpusChart = join(
  import.meta.dirname,
  "../../../../../shared/corpus/argocd-example-apps/helm-guestbook",
);
const lackingCorpus = existsSync(corpusChart) ? false : `no chart at ${corpusChart}`;

suite("the real helm releases charts", { skip: lackingTools, timeout: 240_000 }, () => {
  let world: ToolCluster;
  let chart: string;
  const helm = (...args: string[]) => world.ok(world.helm(args));
  const kubectl = (...args: string[]) => world.ok(world.kubectl(args));
  const image = () =>
    kubectl("get", "deployment", "blog", "-o", "jsonpath={.spec.template.spec.containers[0].image}");

  before(async () => {
    world = await startToolCluster();
    chart = join(world.folder, "visitors");
    await mkdir(join(chart, "templates"), { recursive: true });
    for (const [name, text] of Object.entries(files)) await writeFile(join(chart, name), text);
  });
  after(() => world[Symbol.asyncDispose]());

  test("install --wait ends when everything is ready, its hook done before", async () => {
    assert.match(await helm("install", "blog", chart, "--wait", "--timeout=60s"), /STATUS: deployed/);
    assert.equal(await kubectl("logs", "job/blog-migrate"), "migrated\n");
    assert.equal(
      await kubectl("get", "deployment", "blog", "-o", "jsonpath={.status.availableReplicas}"),
      "2",
    );
    assert.equal(await kubectl("get", "pvc", "data-blog-db-0", "-o", "jsonpath={.status.phase}"), "Bound");
    assert.match(await helm("list"), /blog\s+default\s+1\s.*deployed\s+visitors-0\.1\.0/);
  });

  test("helm test runs its Pod and shows its log", async () => {
    const answer = await helm("test", "blog", "--logs", "--timeout=60s");
    assert.match(answer, /Phase: +Succeeded/);
    assert.match(answer, /checked/);
  });

  test("upgrade changes what is there, history tells, rollback goes back", async () => {
    const answer = await helm(
      "upgrade",
      "blog",
      chart,
      "--set=image=visitors:2,replicas=3",
      "--wait",
      "--timeout=60s",
    );
    assert.match(answer, /has been upgraded/);
    assert.equal(await image(), "visitors:2");
    assert.match(await helm("history", "blog"), /1 .*superseded[\s\S]*2 .*deployed/);
    await helm("rollback", "blog", "1", "--wait", "--timeout=60s");
    assert.equal(await image(), "visitors:1");
    assert.match(await helm("status", "blog"), /REVISION: 3/);
  });

  test("a hook that fails stops an upgrade", async () => {
    const { code, stderr } = await world.helm([
      "upgrade",
      "blog",
      chart,
      "--set=migration=exit 3",
      "--timeout=60s",
    ]);
    assert.equal(code, 1);
    assert.match(stderr, /pre-upgrade hooks failed/);
    assert.equal(await image(), "visitors:1");
    assert.match(await helm("list"), /blog\s.*failed/);
  });

  test("install --wait gives up on what never becomes ready", async () => {
    const args = ["install", "stuck", chart, "--set=simulate=never-ready", "--wait", "--timeout=4s"];
    const { code, stderr } = await world.helm(args);
    assert.equal(code, 1);
    assert.match(stderr, /not ready|context deadline exceeded|timed out/i);
    await helm("uninstall", "stuck", "--wait", "--timeout=60s");
  });

  test("uninstall removes all but hooks and claims", async () => {
    await helm("uninstall", "blog", "--wait", "--timeout=60s");
    assert.equal(
      await kubectl(
        "get",
        "deployments,statefulsets,replicasets,services",
        "-l",
        "app.kubernetes.io/managed-by=Helm",
        "-o",
        "name",
      ),
      "",
    );
    await kubectl("wait", "--for=delete", "pod", "-l", "release=blog", "--timeout=30s");
    assert.match(await kubectl("get", "pvc", "-o", "name"), /data-blog-db-0/);
    assert.doesNotMatch(await helm("list"), /blog/);
  });

  test("the guestbook chart of Argo CD's examples", { skip: lackingCorpus }, async () => {
    await helm("install", "guestbook", corpusChart, "--wait", "--timeout=60s");
    await helm("upgrade", "guestbook", corpusChart, "--set=replicaCount=2", "--wait", "--timeout=60s");
    assert.match(await helm("list"), /guestbook\s+default\s+2\s.*deployed\s+helm-guestbook-0\.1\.0/);
    await helm("rollback", "guestbook", "1", "--wait", "--timeout=60s");
    assert.match(await helm("uninstall", "guestbook", "--wait", "--timeout=60s"), /uninstalled/);
  });
});
