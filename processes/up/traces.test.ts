import assert from "node:assert/strict";
import { test } from "node:test";
import {
  configMapText,
  createGitRepository,
  isSettled,
  type ReceivedSpan,
  sketchApplication,
  startCapstan,
  startGitServer,
  startTraceReceiver,
  untilApplication,
} from "@capstan/testkit";

const pipeline = `apiVersion: capstan.dev/v1alpha1
kind: Pipeline
metadata: { name: shop }
spec:
  stages:
    - { name: read, plugin: directory, path: app }
    - { name: label, plugin: kustomize, path: patch, input: all.yaml, config: { commonLabels: { tier: web } } }
`;
const wave = (name: string, value: string, number: number) =>
  configMapText(name, value, { annotations: { "argocd.argoproj.io/sync-wave": `${number}` } });

test("one trace leads from a push over look, repo server, stages, comparison and sync to each object, and its log lines name it; no password is in it", async () => {
  await using receiver = await startTraceReceiver();
  await using server = await startGitServer({ credentials: { username: "me", password: "hush-hush" } });
  const git = await server.createRepository("shop", {
    "app/maps.yaml": `${wave("one", "1", 0)}---\n${wave("two", "1", 1)}`,
    "patch/kustomization.yaml": "resources: [all.yaml]\n",
    "capstan.yaml": pipeline,
  });
  const flags = ["--no-samples", "--log-format", "json", "--otlp-address", receiver.url];
  await using capstan = await startCapstan({
    flags,
    env: { CAPSTAN_OTLP_HEADERS: "x-key=of-the-collector" },
  });
  const repoURL = git.url.replace("://", "://me:hush-hush@");
  await capstan.kube.create(sketchApplication({ name: "shop", repoURL }), {
    signal: AbortSignal.timeout(60_000),
  });
  await untilApplication(capstan.kube, "shop", isSettled);
  const revision = await git.commit({
    "app/maps.yaml": `${wave("one", "2", 0)}---\n${wave("two", "2", 1)}`,
  });
  const answer = await fetch(`${capstan.url}/api/webhook`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-github-event": "push",
      traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    },
    body: JSON.stringify({
      ref: "refs/heads/main",
      after: revision,
      repository: { html_url: git.url, default_branch: "main" },
    }),
  });
  assert.equal(answer.status, 200);
  await untilApplication(capstan.kube, "shop", (view) => isSettled(view) && view.revision === revision);
  const push = await receiver.span(({ name }) => name === "push", "the push");
  const isOf = ({ traceId }: ReceivedSpan) => traceId === push.traceId;
  const applied = (object: string) => (span: ReceivedSpan) =>
    isOf(span) &&
    span.name === "apply" &&
    span.facts.dryRun === false &&
    String(span.facts.object).includes(object);
  const second = await receiver.span(applied("two"), "the second wave's object");
  const first = await receiver.span(applied("one"), "the first wave's object");
  assert.equal(push.parentSpanId, "");
  // A step is told when it has ended: after those that are part of it, and each part of the system tells for itself.
  const wayOf = async (span: ReceivedSpan): Promise<string[]> => {
    if (span.parentSpanId === "") return [span.name];
    const isParent = (one: ReceivedSpan) => isOf(one) && one.spanId === span.parentSpanId;
    return [...(await wayOf(await receiver.span(isParent, `what ${span.name} is part of`))), span.name];
  };
  assert.deepEqual(await wayOf(first), ["push", "reconcile", "operate", "apply"]);
  assert.deepEqual((await wayOf(second)).slice(0, 2), ["push", "reconcile"]);
  assert.deepEqual((await wayOf(second)).slice(-2), ["operate", "apply"]);
  const rendered = await receiver.span((span) => isOf(span) && span.name === "run", "the run of the stages");
  assert.deepEqual((await wayOf(rendered)).slice(0, 2), ["push", "reconcile"]);
  const stages = receiver.spans.filter((span) => isOf(span) && span.name === "stage");
  assert.deepEqual(stages.map(({ facts }) => [facts.stage, facts.plugin, facts.cache]).sort(), [
    ["label", "kustomize", "miss"],
    ["read", "directory", "miss"],
  ]);
  for (const stage of stages)
    assert.deepEqual(await wayOf(stage), [
      "push",
      "reconcile",
      "render",
      "generateManifests",
      "run",
      "stage",
    ]);
  const compare = await receiver.span((span) => isOf(span) && span.name === "compare", "the comparison");
  assert.deepEqual(await wayOf(compare), ["push", "reconcile", "compare"]);
  for (const said of ["push received", "rendered", "reconciled"])
    await capstan.untilPrinted(new RegExp(`^(?=.*"msg":"${said}").*${push.traceId}`, "m"));
  const all = JSON.stringify(receiver.spans);
  for (const secret of ["hush-hush", "of-the-collector"]) assert.ok(!all.includes(secret), secret);
  assert.equal(receiver.headers[0]?.["x-key"], "of-the-collector");
});

const manual = { syncOptions: ["CreateNamespace=true"] };

test("without a collector too a log for programs names what one request led to, in all parts", async () => {
  await using git = await createGitRepository({ "app/map.yaml": configMapText("one", "1") });
  await using capstan = await startCapstan({ flags: ["--no-samples", "--log-format", "json"] });
  const app = sketchApplication({ name: "shop", repoURL: git.url, syncPolicy: manual });
  await capstan.kube.create(app, { signal: AbortSignal.timeout(60_000) });
  await capstan.untilPrinted(/"msg":"reconciled"/);
  const { status } = await capstan.api("POST", "/api/v1/applications/shop/sync", {});
  assert.equal(status, 200);
  await capstan.untilPrinted(/"msg":"reconciled"[^\n]*"a sync was requested"/);
  const lines = capstan.output().split("\n");
  const audit = lines.find((line) => line.includes('"audit":"syncApplication"'));
  const { trace } = JSON.parse(audit ?? "{}");
  assert.match(trace, /^[0-9a-f]{32}$/);
  const words = lines
    .filter((line) => line.includes(trace))
    .map((line) => JSON.parse(line).msg)
    .filter((msg) => ["audit", "sync plan", "operation finished", "reconciled"].includes(msg));
  assert.deepEqual(words, ["audit", "sync plan", "operation finished", "reconciled"]);
});
