import assert from "node:assert/strict";
import { test } from "node:test";
import { Registry } from "prom-client";
import { OwnedCounter } from "./owned-counter.ts";

test("rows are counted by owner and by the other labels, whatever characters are in them, and told as of any counter", async () => {
  const registry = new Registry();
  const counter = new OwnedCounter({
    name: "requests_total",
    help: "Requests.",
    ownerNames: ["namespace", "name"],
    labelNames: ["verb", "kind"],
    registers: [registry],
  });
  counter.count({ namespace: "argocd", name: "a" }, { verb: "Patch", kind: "Service" });
  counter.count({ namespace: "argocd", name: "a" }, { verb: "Patch", kind: "Service" });
  counter.count({ namespace: "argocd", name: "a" }, { verb: "Delete", kind: "Service" }, 3);
  counter.count({ namespace: "argocd", name: "b" }, { verb: "Patch", kind: 'Serv"ice' });
  counter.count({ namespace: 'argocd","b', name: "" }, { verb: "Patch", kind: "Service" });
  assert.equal(
    await registry.metrics(),
    `# HELP requests_total Requests.
# TYPE requests_total counter
requests_total{namespace="argocd",name="a",verb="Patch",kind="Service"} 2
requests_total{namespace="argocd",name="a",verb="Delete",kind="Service"} 3
requests_total{namespace="argocd",name="b",verb="Patch",kind="Serv\\"ice"} 1
requests_total{namespace="argocd\\",\\"b",name="",verb="Patch",kind="Service"} 1
`,
  );
});

test("a counter without rows, and one whose rows have no other label, are told as well", async () => {
  const registry = new Registry();
  const counter = new OwnedCounter({
    name: "seconds_total",
    help: "Seconds.",
    ownerNames: ["name"],
    labelNames: [],
    registers: [registry],
  });
  const head = "# HELP seconds_total Seconds.\n# TYPE seconds_total counter\n";
  assert.equal((await registry.metrics()).trim(), head.trim());
  counter.count({ name: "a" }, {}, 0.5);
  assert.equal(await registry.metrics(), `${head}seconds_total{name="a"} 0.5\n`);
});
