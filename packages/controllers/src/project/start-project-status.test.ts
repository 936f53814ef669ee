import assert from "node:assert/strict";
import { test } from "node:test";
import { isRecord } from "@capstan/formats";
import { annotationKeys, type Condition } from "@capstan/model";
import { eventually, realClock } from "@capstan/testkit";
import { openSmallWorld, readObject, type SmallWorld } from "@capstan/testkit/worlds";
import { startProjectStatus } from "./start-project-status.ts";

const apiVersion = "argoproj.io/v1alpha1";
const limit = () => AbortSignal.timeout(60_000);

async function conditionsOf(world: SmallWorld, kind: string, name: string): Promise<Condition[]> {
  const object = await readObject(world, { apiVersion, kind, namespace: "argocd", name });
  const status = isRecord(object?.status) ? object.status : {};
  return Array.isArray(status.conditions) ? status.conditions : [];
}

test("a project says what of it is not honoured, once, and no longer than it is so", async () => {
  await using world = await openSmallWorld();
  const lines: string[] = [];
  const log = { info: () => undefined, warn: (_: object, message: string) => void lines.push(message) };
  await using _status = startProjectStatus({ kube: world.kube, clock: realClock, log, namespace: "argocd" });
  const until = (kind: string, name: string, count: number) =>
    eventually(
      async () => {
        const found = await conditionsOf(world, kind, name);
        return found.length === count ? found : undefined;
      },
      { signal: limit(), describe: () => `${kind} ${name} has not ${count} conditions` },
    );
  const patch = (budget: string | null) =>
    world.kube.patch(
      { apiVersion, kind: "AppProject", namespace: "argocd", name: "default" },
      { type: "merge", body: { metadata: { annotations: { [annotationKeys.pruneBudget]: budget } } } },
      { signal: limit() },
    );
  await patch("many");
  const [said] = await until("AppProject", "default", 1);
  assert.match(`${said?.type} ${said?.message}`, /^NotHonoured .*prune-budget/);
  await patch(null);
  await until("AppProject", "default", 0);
  assert.equal(lines.length, 1);
});
