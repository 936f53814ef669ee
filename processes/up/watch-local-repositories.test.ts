import assert from "node:assert/strict";
import { test } from "node:test";
import type { LiveChange } from "@capstan/kube";
import type { Manifest } from "@capstan/model";
import { createGitRepository, eventually } from "@capstan/testkit";
import { watchLocalRepositories } from "./watch-local-repositories.ts";

const apiVersion = "argoproj.io/v1alpha1";
const project = { project: "default", destination: { name: "in-cluster", namespace: "x" } };

function appOf(name: string, repoURL: string): Manifest {
  const metadata = { name, namespace: "argocd", uid: name };
  return { apiVersion, kind: "Application", metadata, spec: { ...project, source: { repoURL, path: "." } } };
}

function changeOf(previous: Manifest | undefined, current: Manifest | undefined): LiveChange {
  const { name = "", namespace = "" } = (current ?? previous)?.metadata ?? {};
  const key = { group: "argoproj.io", kind: "Application", namespace, name };
  return { key, previous, current, apps: [], managed: false };
}

test("a commit, a tag and another branch of a repository that is named are noticed, and no others", async (t) => {
  await using git = await createGitRepository({ "a.yaml": "{}" });
  await using other = await createGitRepository({ "a.yaml": "{}" });
  const [named, closed] = [appOf("named", git.url), appOf("closed", `file://${other.dir}`)];
  const told = new Set<string>();
  let listener: (change: LiveChange) => void = () => undefined;
  const onChange = (one: typeof listener) => {
    listener = one;
    return () => undefined;
  };
  const warnings: object[] = [];
  using _watched = watchLocalRepositories({
    live: { ofKind: () => [named], onChange },
    folders: { listed: [git.dir], closed: [other.dir], open: [], isOwnPermitted: true },
    moved: (url, ref) => void told.add(`${url} ${ref}`),
    log: { warn: (facts) => void warnings.push(facts) },
  });
  listener(changeOf(undefined, closed));
  const until = (ref: string, act: () => Promise<unknown>) =>
    eventually(
      async () => {
        await act();
        return told.has(`${git.url} ${ref}`) || undefined;
      },
      { signal: t.signal, describe: () => `${ref}: ${[...told].join(", ")}` },
    );
  let commits = 0;
  const commit = () => git.commit({ "a.yaml": `a: ${++commits}` });
  await until("refs/heads/main", commit);
  await until("refs/tags/v1", () => git.git("tag", "--force", "v1"));
  await until("HEAD", async () => {
    await git.git("checkout", "--quiet", "-B", `side${++commits}`);
  });
  await other.commit({ "a.yaml": "b: 1" });
  await until("refs/tags/v2", () => git.git("tag", "--force", "v2"));
  assert.deepEqual(
    [...told].filter((one) => one.includes(other.dir)),
    [],
  );
  listener(changeOf(named, undefined));
  told.clear();
  await commit();
  await git.git("tag", "v3");
  assert.deepEqual([...told, ...warnings], []);
});
