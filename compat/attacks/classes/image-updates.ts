/** Images that applications name: registries that lie, credentials of others, and files that are written to. */
import assert from "node:assert/strict";
import { symlink } from "node:fs/promises";
import type { RequestListener } from "node:http";
import { join } from "node:path";
import { Limiter } from "@capstan/flow";
import { eventually } from "@capstan/testkit";
import type { Attack, AttackWorld } from "../attack.ts";
import { withServer } from "../own-server.ts";

const prefix = "argocd-image-updater.argoproj.io/";
const limit = () => AbortSignal.timeout(120_000);
const secretRule =
  "an application names Secrets of its own namespace alone, and of Capstan's only what is marked for it";

interface Sketch {
  name: string;
  annotations: Readonly<Record<string, string>>;
  repository?: string;
}

async function createApplication(
  world: AttackWorld,
  { name, annotations, repository = "app" }: Sketch,
): Promise<void> {
  const own = Object.entries(annotations).map(([key, text]) => [`${prefix}${key}`, text]);
  const body = {
    metadata: { name, annotations: Object.fromEntries(own) },
    spec: {
      project: "team",
      source: { repoURL: `${world.at.gitUrl}/team-${repository}.git`, path: "app", targetRevision: "main" },
      destination: { server: "https://kubernetes.default.svc", namespace: `team-${name}` },
    },
  };
  const created = await world.ask("alice", "POST /api/v1/applications?validate=false", { body });
  assert.equal(created.status, 200, JSON.stringify(created.body));
}

/** What alice is told of her application's images, until it says this: settings are read a moment after a change. */
async function told(world: AttackWorld, { says, ...sketch }: Sketch & { says: RegExp }): Promise<string> {
  await createApplication(world, sketch);
  let text = "";
  await eventually(
    async () => {
      const { status, body } = await world.ask(
        "alice",
        `GET /api/v1/applications/${sketch.name}/image-updates`,
      );
      assert.equal(status, 200, JSON.stringify(body));
      text = JSON.stringify(body);
      await world.assertUnharmed([text]);
      return says.test(text) || undefined;
    },
    { signal: AbortSignal.timeout(90_000), describe: () => `it says ${text}` },
  );
  return text;
}

/** There is one registries.conf, and attacks are played side by side. */
const turns = new Limiter({ atOnce: 1 });

/** A registry of the attacker's that the operator has named. */
function withRegistry(
  world: AttackWorld,
  listener: RequestListener,
  work: (host: string) => Promise<void>,
): Promise<void> {
  const play = () =>
    withServer(listener, async (url) => {
      const { host } = new URL(url);
      const map = {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "argocd-image-updater-config", namespace: "argocd" },
        data: { "registries.conf": `registries: [{prefix: "${host}", api_url: "${url}", limit: 0}]` },
      };
      await world.capstan.kube.apply(map, { fieldManager: "operator", force: true, signal: limit() });
      await work(host);
    });
  return turns.run(play, new AbortController().signal);
}

const listing =
  (tags: readonly unknown[], headers: Record<string, string> = {}): RequestListener =>
  (_request, response) =>
    response.writeHead(200, headers).end(JSON.stringify({ tags }));

function namesSecret(
  name: string,
  { secret, says, threat }: { secret: string; says: RegExp; threat: string },
): Attack {
  return {
    id: `image-updates/${name}`,
    threat,
    heldBy: secretRule,
    play: async (world) => {
      const annotations = { "image-list": "x=registry.example/x", "pull-secret": secret };
      await told(world, { name: `images-${name}`, annotations, says });
    },
  };
}

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

export const attacks: readonly Attack[] = [
  {
    id: "image-updates/an-inner-registry",
    threat: "An application names as its registry an address of the machine on which Capstan runs",
    heldBy: "registries that no operator has named are not asked at inner addresses",
    play: async (world) => {
      const asked: string[] = [];
      await withServer(
        ({ url = "" }, response) => {
          asked.push(url);
          response.end("{}");
        },
        async (url) => {
          const annotations = { "image-list": `x=${new URL(url).host}/x` };
          await told(world, { name: "images-inner", annotations, says: /address of this machine/ });
          assert.deepEqual(asked, []);
        },
      );
    },
  },
  namesSecret("foreign-pull-secret", {
    secret: "secret:rival-a/secret#password",
    says: /of another namespace/,
    threat: "An application names a Secret of another namespace, to be sent to a registry",
  }),
  namesSecret("control-pull-secret", {
    secret: "secret:argocd/argocd-secret#admin.password",
    says: /is not for applications/,
    threat:
      "An application of the control namespace names a Secret of Capstan's own, to be sent to a registry",
  }),
  namesSecret("environment", {
    secret: "env:HOME",
    says: /operator's registries\.conf alone/,
    threat: "An application names a variable of Capstan's process, to be sent to a registry",
  }),
  namesSecret("program", {
    secret: "ext:/usr/bin/id",
    says: /operator's registries\.conf alone/,
    threat: "An application names a program of Capstan's machine, to be run for credentials",
  }),
  {
    id: "image-updates/tags-that-are-none",
    threat: "A registry lists tags with line breaks, shell and YAML in them",
    heldBy: "what is no tag by the OCI specification is no tag",
    play: (world) => {
      const tags = [
        "9.9.9\nx: y",
        "9.9.9$(touch /tmp/x)",
        "9.9.9: {a: b}",
        "../9.9.9",
        "9.9.9 ",
        9,
        null,
        "1.0.0",
      ];
      return withRegistry(world, listing(tags), async (host) => {
        const annotations = { "image-list": `x=${host}/x`, "force-update": "true" };
        const text = await told(world, { name: "images-tags", annotations, says: /"to":"1\.0\.0"/ });
        assert.doesNotMatch(text, /9\.9\.9/);
      });
    },
  },
  {
    id: "image-updates/endless-pages",
    threat: "A registry's list of tags has no last page",
    heldBy: "a list is read to a hundred pages",
    play: async (world) => {
      let pages = 0;
      const listener: RequestListener = (request, response) => {
        pages += 1;
        listing([`1.0.${pages}`], { link: `</v2/x/tags/list?last=${pages}>; rel="next"` })(request, response);
      };
      await withRegistry(world, listener, async (host) => {
        const annotations = { "image-list": `x=${host}/x` };
        await told(world, { name: "images-pages", annotations, says: /more than 100 pages/ });
        assert.ok(pages <= 100, `${pages} pages`);
      });
    },
  },
  {
    id: "image-updates/a-huge-manifest",
    threat: "A registry answers for a manifest without an end",
    heldBy: "answers of registries have a largest size",
    play: (world) => {
      const listener: RequestListener = (request, response) => {
        if (request.url?.includes("/tags/")) return listing(["1.0.0"])(request, response);
        const chunk = Buffer.alloc(2 ** 20, " ");
        const more = () => {
          while (!response.destroyed && response.write(chunk));
        };
        response.on("drain", more);
        more();
      };
      return withRegistry(world, listener, async (host) => {
        const annotations = {
          "image-list": `x=${host}/x`,
          "force-update": "true",
          "update-strategy": "newest-build",
        };
        await told(world, { name: "images-huge", annotations, says: /larger than 4194304 bytes/ });
      });
    },
  },
  {
    id: "image-updates/a-file-outside",
    threat: "A write-back names a file outside of the repository",
    heldBy: "paths are read as parts of the repository's tree, and ways up are refused",
    play: writesNothing(
      "outside",
      { "write-back-target": "helmvalues:../../../values.yaml" },
      /leads out of the repository/,
    ),
  },
  {
    id: "image-updates/a-file-through-a-link",
    threat: "A write-back names a file that is a link, or stands behind one",
    heldBy: "what is written is a file of the commit, in folders of the commit; no link is followed",
    play: async (world) => {
      await writesNothing("link", { "write-back-target": "helmvalues:link.yaml" }, /symlink/)(world);
      await writesNothing("linked", { "write-back-target": "helmvalues:up/values.yaml" }, /symlink/)(world);
    },
  },
  {
    id: "image-updates/gits-own-folder",
    threat: "A write-back names a file in git's own folder",
    heldBy: "no part of a path is .git, however it is written",
    play: writesNothing(
      "git-folder",
      { "write-back-target": "helmvalues:/.GIT/config.yaml" },
      /leads out of the repository/,
    ),
  },
  {
    id: "image-updates/a-foreign-repository",
    threat: "A write-back names a repository that the project does not permit",
    heldBy: "what is written is permitted as what is read: by the project's sourceRepos",
    play: async (world) => {
      const annotations = { "git-repository": `${world.at.gitUrl}/rival-app.git` };
      await writesNothing("foreign", annotations, /not permitted/)(world);
    },
  },
  {
    id: "image-updates/foreign-credentials",
    threat: "A write-back names a Secret of another namespace, or of Capstan's own, to push with",
    heldBy: secretRule,
    play: async (world) => {
      const of = (secret: string) => ({ "write-back-method": `git:secret:${secret}` });
      await writesNothing("push-rival", of("rival-a/secret"), /of another namespace/)(world);
      await writesNothing("push-own", of("argocd/argocd-secret"), /is not for applications/)(world);
    },
  },
  {
    id: "image-updates/credentials-for-reading",
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
