/** Files that image updates write: outside of what they are for, with others' credentials. */
import assert from "node:assert/strict";
import { symlink } from "node:fs/promises";
import type { RequestListener } from "node:http";
import { join } from "node:path";
import { eventually, sketchApplication } from "@capstan/testkit";
import type { Attack, AttackWorld } from "../attack.ts";
import { createApplication, limit, listing, secretRule, withRegistry } from "../image-world.ts";
import { withServer } from "../own-server.ts";

/** Whatever the annotations say, nothing is committed: an Event says why. */
function writesNothing(
  name: string,
  annotations: Readonly<Record<string, string>>,
  says: RegExp,
): Attack["play"] {
  return async (world) => {
    const repository = await world.git.createRepository(`team-images-${name}`, {
      "app/values.yaml": "image:\n  tag: 1.0.0\n",
    });
    await symlink("../../..", join(repository.dir, "app", "up"));
    await symlink(join(world.at.outside, "secret.yaml"), join(repository.dir, "app", "link.yaml"));
    await repository.commit({}, "what the attacker wrote");
    const before = await repository.git("rev-parse", "main");
    await withRegistry(world, listing(["1.1.0"]), async (host) => {
      const own = { "image-list": `x=${host}/x`, "force-update": "true", "x.helm.image-tag": "image.tag" };
      const all = {
        ...own,
        "write-back-method": "git",
        "git-branch": "main",
        "write-back-target": "helmvalues",
        ...annotations,
      };
      await createApplication(world, {
        name: `images-${name}`,
        annotations: all,
        repository: `images-${name}`,
      });
      const query = { apiVersion: "v1", kind: "Event", namespace: "argocd" };
      const message = await eventually(
        async () => {
          const { items } = await world.capstan.kube.list(query, limit());
          const own = items.filter(({ involvedObject }) =>
            JSON.stringify(involvedObject).includes(`"images-${name}"`),
          );
          return own.map((event) => String(event.message)).find((text) => says.test(text));
        },
        { signal: limit(), describe: () => `no event of images-${name} says ${says}` },
      );
      assert.equal(await repository.git("rev-parse", "main"), before);
      await world.assertUnharmed([message]);
    });
  };
}

/** What is pushed is the tenant's own; whom Capstan asks to merge it is an address of its machine. */
async function requestInside(world: AttackWorld): Promise<void> {
  const name = "images-request";
  const { at, git } = world;
  const { kube } = world.capstan;
  const repository = await git.createRepository("team-acme/web", {
    "app/values.yaml": "image:\n  tag: 1.0.0\n",
  });
  const asked: string[] = [];
  const listener: RequestListener = ({ url = "" }, response) => {
    asked.push(url);
    response.end("[]");
  };
  await withServer(listener, (inner) =>
    withRegistry(world, listing(["1.1.0"]), async (host) => {
      const argo = { apiVersion: "argoproj.io/v1alpha1", kind: "AppProject" };
      const spec = {
        sourceRepos: [`${at.gitUrl}/team-acme/*`],
        destinations: [{ server: "*", namespace: "*" }],
      };
      await kube.create({ ...argo, metadata: { name, namespace: "argocd" }, spec }, { signal: limit() });
      const labels = { "capstan.dev/image-updates": "true" };
      const stringData = { username: "ann", password: "x", githubAppEnterpriseBaseUrl: inner };
      const metadata = { name, namespace: "argocd", labels };
      await kube.create({ apiVersion: "v1", kind: "Secret", metadata, stringData }, { signal: limit() });
      const texts = {
        "image-list": `x=${host}/x`,
        "force-update": "true",
        "x.helm.image-tag": "image.tag",
        "write-back-method": `git:secret:argocd/${name}`,
        "write-back-target": "helmvalues",
        "git-branch": "main:bot",
        "pull-request": "github",
      };
      const own = Object.entries(texts).map(([key, text]) => [
        `argocd-image-updater.argoproj.io/${key}`,
        text,
      ]);
      const sketch = sketchApplication({
        name,
        repoURL: repository.url,
        project: name,
        path: "app",
        syncPolicy: {},
      });
      const annotations = Object.fromEntries(own);
      await kube.create({ ...sketch, metadata: { ...sketch.metadata, annotations } }, { signal: limit() });
      const query = { apiVersion: "v1", kind: "Event", namespace: "argocd" };
      const message = await eventually(
        async () => {
          const { items } = await kube.list(query, limit());
          const said = items.filter(({ involvedObject }) =>
            JSON.stringify(involvedObject).includes(`"${name}"`),
          );
          return said
            .map((event) => String(event.message))
            .find((text) => /address of this machine/.test(text));
        },
        { signal: limit(), describe: () => `no event of ${name} says it` },
      );
      assert.deepEqual(asked, []);
      await world.assertUnharmed([message]);
    }),
  );
}

export const attacks: readonly Attack[] = [
  {
    id: "image-writes/a-request-to-an-inner-address",
    threat:
      "An application with credentials of its own has Capstan ask an address of its machine for a request to merge",
    heldBy:
      "a host is asked where the repository is or the credentials say, and with an application's own credentials at no inner address",
    play: requestInside,
  },
  {
    id: "image-writes/a-file-outside",
    threat: "A write-back names a file outside of the repository",
    heldBy: "paths are read as parts of the repository's tree, and ways up are refused",
    play: writesNothing(
      "outside",
      { "write-back-target": "helmvalues:../../../values.yaml" },
      /leads out of the repository/,
    ),
  },
  {
    id: "image-writes/a-file-through-a-link",
    slow: true,
    threat: "A write-back names a file that is a link, or stands behind one",
    heldBy: "what is written is a file of the commit, in folders of the commit; no link is followed",
    play: async (world) => {
      await writesNothing("link", { "write-back-target": "helmvalues:link.yaml" }, /symlink/)(world);
      await writesNothing("linked", { "write-back-target": "helmvalues:up/values.yaml" }, /symlink/)(world);
    },
  },
  {
    id: "image-writes/gits-own-folder",
    threat: "A write-back names a file in git's own folder",
    heldBy: "no part of a path is .git, however it is written",
    play: writesNothing(
      "git-folder",
      { "write-back-target": "helmvalues:/.GIT/config.yaml" },
      /leads out of the repository/,
    ),
  },
  {
    id: "image-writes/a-foreign-repository",
    threat: "A write-back names a repository that the project does not permit",
    heldBy: "what is written is permitted as what is read: by the project's sourceRepos",
    play: async (world) => {
      const annotations = { "git-repository": `${world.at.gitUrl}/elsewhere.git` };
      await writesNothing("foreign", annotations, /not permitted/)(world);
    },
  },
  {
    id: "image-writes/foreign-credentials",
    slow: true,
    threat: "A write-back names a Secret of another namespace, or of Capstan's own, to push with",
    heldBy: secretRule,
    play: async (world) => {
      const of = (secret: string) => ({ "write-back-method": `git:secret:${secret}` });
      await writesNothing("push-foreign", of("kube-system/token"), /of another namespace/)(world);
      await writesNothing("push-own", of("argocd/argocd-secret"), /is not for applications/)(world);
    },
  },
  {
    id: "image-writes/credentials-for-reading",
    threat: "An application has images written into a repository that Capstan reads with a password",
    heldBy:
      "commits are pushed with credentials for writing; with those for reading only where the operator says so",
    play: async (world) => {
      const url = `${world.at.gitUrl}/team-images-reading.git`;
      const labels = { "argocd.argoproj.io/secret-type": "repository" };
      const secret = {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: "images-reading", namespace: "argocd", labels },
        stringData: { type: "git", url, username: "reader", password: "of the reader" },
      };
      await world.capstan.kube.create(secret, { signal: limit() });
      await eventually(
        async () => {
          const { body } = await world.ask("admin", "GET /api/v1/repositories");
          return JSON.stringify(body).includes(url) || undefined;
        },
        { signal: limit(), describe: () => `${url} is not among the repositories` },
      );
      await writesNothing("reading", {}, /are for reading/)(world);
    },
  },
];
