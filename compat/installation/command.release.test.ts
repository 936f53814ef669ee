import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { chart, type InstallWorld, lackingInstallers, objectsOf, openInstallWorld } from "./tools.ts";

const program = join(import.meta.dirname, "..", "..", "bin", "capstan.js");

describe("capstan install, upgrade and uninstall on a real control plane", {
  skip: lackingInstallers(),
}, () => {
  let world: InstallWorld;
  before(async () => {
    world = await openInstallWorld({ nodes: true });
  });
  after(() => world[Symbol.asyncDispose]());

  const capstan = async (...words: string[]): Promise<string> => {
    const flags = ["--kubeconfig", world.cluster.kubeconfig, "--namespace", "gitops"];
    const options = { timeout: 150_000, env: { PATH: process.env.PATH, HOME: world.folder } };
    return (await promisify(execFile)(process.execPath, [program, ...words, ...flags], options)).stdout;
  };
  const tokenOf = (): Promise<string> =>
    world.kubectl(
      "get",
      "secret",
      "-n",
      "gitops",
      "capstan-repo-server-token",
      "-o",
      "jsonpath={.data.token}",
    );

  test("installed into a namespace that takes restricted Pods alone; upgraded with what was chosen; what stays is said", async () => {
    await assert.rejects(capstan("upgrade"), /has made nothing in gitops/);
    const before = await capstan("doctor");
    assert.match(
      before,
      /^ok +rights +suffice .*\nlacks +namespace +gitops is not there\n.*\nlacks +parts /m,
    );
    assert.match(
      await capstan("install", "--image", "registry.example.com/capstan:1"),
      /all parts are ready/,
    );
    await assert.rejects(capstan("install"), /capstan upgrade changes it/);
    const seen = await capstan("doctor");
    assert.equal(seen.match(/^ok +CRD +.* as this version has it$/gm)?.length, 5, seen);
    assert.equal(seen.match(/^ok +part +capstan-\S+ 0\.1\.0: 1 of 1 ready$/gm)?.length, 5, seen);
    const [token, first] = [await tokenOf(), await objectsOf(world, "gitops")];
    assert.ok(first.includes("clusterrole.rbac.authorization.k8s.io/capstan-controller-gitops"));
    await capstan("upgrade", "--high-availability");
    const more = await objectsOf(world, "gitops");
    assert.ok(more.includes("horizontalpodautoscaler.autoscaling/capstan-server"));
    const count = ["deployment/capstan-controller", "-o", "jsonpath={.spec.replicas}"];
    assert.equal(await world.kubectl("get", "-n", "gitops", ...count), "3");
    const image = ["deployment/capstan-server", "-o", "jsonpath={.spec.template.spec.containers[0].image}"];
    assert.equal(await world.kubectl("get", "-n", "gitops", ...image), "registry.example.com/capstan:1");
    assert.equal(await tokenOf(), token);
    assert.match(
      await capstan("upgrade", "--high-availability=false", "--namespaced"),
      /ClusterRole .* is removed/,
    );
    const isGone = /horizontal|disruption|clusterrole/;
    assert.deepEqual(
      (await objectsOf(world, "gitops")).filter((name) => isGone.test(name)),
      [],
    );
    assert.match(await capstan("uninstall"), /left as they are: .*and the CRDs/);
    const left = (await objectsOf(world, "gitops")).filter((name) => !/^(?:pod|customresource)/.test(name));
    assert.deepEqual(left, []);
    await assert.rejects(capstan("uninstall"), /has made nothing/);
  });

  test("what helm has installed is not taken over", async () => {
    await world.helm("install", "capstan", chart, "-n", "gitops");
    await assert.rejects(capstan("install"), /installed by helm: go on with that/);
  });
});
