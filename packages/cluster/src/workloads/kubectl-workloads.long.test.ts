import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { after, before, suite, test } from "node:test";
import { lackingTools, unpackTools } from "../test-tools.ts";
import { startToolCluster, type ToolCluster } from "../tool-cluster.ts";

const web = (image: string, replicas = 3) => `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: ${replicas}
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: web, image: "${image}" }] }
`;

const job = `
apiVersion: batch/v1
kind: Job
metadata:
  name: hello
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      containers: [{ name: main, image: busybox, command: [sh, -c, "echo hello; sleep 1; echo bye"] }]
`;

suite("the real kubectl sees workloads at work", { skip: lackingTools, timeout: 240_000 }, () => {
  let world: ToolCluster;
  const apply = (input: string) => world.ok(world.kubectl(["apply", "-f", "-"], { input }));
  const kubectl = (...args: string[]) => world.ok(world.kubectl(args));
  /** A log is refused until its container has started; that it runs is over too soon to be waited for. */
  const firstLogs = async (...args: string[]) => {
    for (let tries = 0; tries < 100; tries += 1) {
      const { code, stdout } = await world.kubectl(["logs", ...args]);
      if (code === 0) return stdout;
    }
    return kubectl("logs", ...args);
  };

  before(async () => {
    world = await startToolCluster();
  });
  after(() => world[Symbol.asyncDispose]());

  test("rollout status and wait end when a Deployment is available", async () => {
    await apply(web("web:1"));
    assert.match(
      await kubectl("rollout", "status", "deployment/web", "--timeout=30s"),
      /successfully rolled out/,
    );
    assert.match(
      await kubectl("wait", "--for=condition=Available", "deployment/web", "--timeout=30s"),
      /condition met/,
    );
    assert.equal(
      await kubectl("get", "deployment", "web", "-o", "jsonpath={.status.availableReplicas}"),
      "3",
    );
  });

  test("rollout history tells revisions and rollout undo goes back", async () => {
    await kubectl("set", "image", "deployment/web", "web=web:2");
    await kubectl("rollout", "status", "deployment/web", "--timeout=30s");
    assert.match(await kubectl("rollout", "history", "deployment/web"), /1 .*\n2 /);
    assert.match(await kubectl("rollout", "undo", "deployment/web"), /rolled back/);
    await kubectl("rollout", "status", "deployment/web", "--timeout=30s");
    const image = "jsonpath={.spec.template.spec.containers[0].image}";
    assert.equal(await kubectl("get", "deployment", "web", "-o", image), "web:1");
    assert.match(await kubectl("rollout", "history", "deployment/web"), /2 .*\n3 /);
  });

  test("rollout restart replaces every Pod", async () => {
    const names = () => kubectl("get", "pods", "-l", "app=web", "-o", "name");
    const before = (await names()).trim().split("\n");
    await kubectl("rollout", "restart", "deployment/web");
    await kubectl("rollout", "status", "deployment/web", "--timeout=30s");
    await kubectl("wait", "--for=delete", ...before, "--timeout=30s");
    assert.equal((await names()).trim().split("\n").length, 3);
  });

  test("a rollout that cannot finish is told of", async () => {
    const patch = {
      spec: {
        progressDeadlineSeconds: 1,
        template: { metadata: { annotations: { "capstan.dev/simulate": "never-ready" } } },
      },
    };
    await kubectl("patch", "deployment", "web", "-p", JSON.stringify(patch));
    const { code, stderr } = await world.kubectl(["rollout", "status", "deployment/web", "--timeout=30s"]);
    assert.equal(code, 1);
    assert.match(stderr, /exceeded its progress deadline/);
    await kubectl("rollout", "undo", "deployment/web");
    await kubectl("rollout", "status", "deployment/web", "--timeout=30s");
  });

  test("scale changes the number of Pods", async () => {
    await kubectl("scale", "deployment/web", "--replicas=5");
    await kubectl("wait", "--for=jsonpath={.status.readyReplicas}=5", "deployment/web", "--timeout=30s");
    await kubectl("scale", "deployment/web", "--replicas=1");
    await kubectl("wait", "--for=jsonpath={.status.replicas}=1", "deployment/web", "--timeout=30s");
  });

  test("logs of a Job are what its command prints", async () => {
    await apply(job);
    assert.equal(await firstLogs("-f", "job/hello"), "hello\nbye\n");
    assert.match(
      await kubectl("wait", "--for=condition=Complete", "job/hello", "--timeout=30s"),
      /condition met/,
    );
    assert.equal(await kubectl("logs", "job/hello", "--tail=1"), "bye\n");
  });

  test("logs of anything else own up to the simulation", async () => {
    assert.match(await kubectl("logs", "deployment/web"), /nothing really runs/);
  });

  test("get pods -w shows Pods as they change", async () => {
    const { kubectl: program } = await unpackTools();
    const env = { KUBECONFIG: `${world.folder}/kubeconfig`, HOME: world.folder };
    const watching = spawn(program, ["get", "pods", "-w", "-o", "name", "-l", "app=watched"], { env });
    const name = Promise.withResolvers<string>();
    watching.stdout.once("data", (text) => name.resolve(String(text)));
    watching.once("error", name.reject);
    watching.once("exit", () => name.reject(new Error("kubectl ended")));
    name.promise.catch(() => "told below");
    try {
      await apply(web("web:1", 1).replaceAll("web", "watched"));
      assert.match(await name.promise, /^pod\/watched-/);
    } finally {
      watching.kill();
    }
  });

  test("foreground deletion waits until the Pods are gone", async () => {
    await kubectl("delete", "deployment", "watched", "--cascade=foreground", "--timeout=30s");
    assert.equal(await kubectl("get", "replicasets,pods", "-l", "app=watched", "-o", "name"), "");
  });

  test("orphans stay and are adopted again", async () => {
    const pods = await kubectl("get", "pods", "-l", "app=web", "-o", "name");
    await kubectl("delete", "deployment", "web", "--cascade=orphan");
    assert.equal(await kubectl("get", "pods", "-l", "app=web", "-o", "name"), pods);
    await apply(web("web:1", 1));
    await kubectl("rollout", "status", "deployment/web", "--timeout=30s");
    const sets = await kubectl(
      "get",
      "replicasets",
      "-l",
      "app=web",
      "-o",
      "jsonpath={.items[*].metadata.ownerReferences[0].kind}",
    );
    assert.match(sets, /^Deployment( Deployment)*$/);
  });

  test("describe shows events and the node says what it is", async () => {
    assert.match(
      await kubectl("describe", "pod", "-l", "app=web"),
      /Scheduled[\s\S]*Pulled[\s\S]*Created[\s\S]*Started/,
    );
    assert.match(await kubectl("describe", "node"), /Capstan simulated node \(nothing runs\)/);
  });

  test("top shows simulated figures of Pods, containers and the node, and says what they are", async () => {
    await apply(`
apiVersion: v1
kind: Pod
metadata: { name: two, labels: { app: two } }
spec:
  containers:
    - { name: large, image: x, resources: { requests: { cpu: 500m, memory: 1Gi } } }
    - { name: small, image: x }
`);
    await kubectl("wait", "--for=condition=Ready", "pod/two", "--timeout=30s");
    const { stdout, stderr } = await world.kubectl(["top", "pod", "two"]);
    assert.match(stdout, /^NAME +CPU\(cores\) +MEMORY\(bytes\) *\ntwo +251m +528Mi *\n$/);
    assert.match(stderr, /^Warning: simulated by capstan: nothing really runs; these figures/);
    assert.match(
      await kubectl("top", "pod", "-l", "app=two", "--containers", "--sum", "--no-headers"),
      /^two +large +250m +512Mi *\ntwo +small +1m +16Mi *\n +_+ +_+ *\n +251m +528Mi *\n$/,
    );
    assert.match(await kubectl("top", "pod", "-A", "--sort-by=cpu"), /\ndefault +two +251m/);
    assert.match(await kubectl("top", "pod", "--field-selector=metadata.name=two"), /\ntwo +251m/);
    assert.match(await kubectl("top", "node"), /\ncapstan-simulated +\d+m +\d+% +\d+Mi +\d+% *\n$/);
    await kubectl("delete", "pod", "two", "--now");
  });

  test("drain moves Pods off the node and leaves them waiting", async () => {
    await kubectl("drain", "capstan-simulated", "--force", "--ignore-daemonsets", "--timeout=30s");
    const phase = "jsonpath={.status.phase}";
    await kubectl("wait", "--for", `${phase}=Pending`, "pod", "-l", "app=web", "--timeout=30s");
    await kubectl("uncordon", "capstan-simulated");
    await kubectl("wait", "--for=condition=Ready", "pod", "-l", "app=web", "--timeout=30s");
  });

  test("a namespace goes with all its workloads", async () => {
    await kubectl("create", "namespace", "shop");
    await world.ok(world.kubectl(["apply", "-n", "shop", "-f", "-"], { input: `${web("web:1")}---${job}` }));
    await kubectl("rollout", "status", "-n", "shop", "deployment/web", "--timeout=30s");
    await kubectl("delete", "namespace", "shop", "--timeout=30s");
    assert.equal(await kubectl("get", "pods,jobs,deployments", "-n", "shop", "-o", "name"), "");
  });
});
