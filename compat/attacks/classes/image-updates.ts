/** Images that applications name: registries that lie, and credentials of others. */
import assert from "node:assert/strict";
import type { RequestListener } from "node:http";
import { eventually, sketchApplication } from "@capstan/testkit";
import type { Attack, AttackWorld } from "../attack.ts";
import { createApplication, limit, listing, type Sketch, secretRule, withRegistry } from "../image-world.ts";
import { withServer } from "../own-server.ts";

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

const namespace = "team-told";

/** An ImageUpdater of the namespace in which team has Applications; the first that is written makes both. */
async function giveUpdater({ capstan: { kube } }: AttackWorld, spec: object): Promise<void> {
  const apply = (object: Parameters<typeof kube.apply>[0]) =>
    kube.apply(object, { fieldManager: "image-attack", force: true, signal: limit() });
  await apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  const metadata = { name: "argocd-cmd-params-cm", namespace: "argocd" };
  await apply({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata,
    data: { "application.namespaces": namespace },
  });
  const updater = { ...updaterOf, metadata: { name: "everything", namespace } };
  await apply({ ...updater, spec });
}

const updaterOf = { apiVersion: "argocd-image-updater.argoproj.io/v1alpha1", kind: "ImageUpdater" };

/** Whose Applications are its own to speak for, and where they may write, is not the ImageUpdater's to say. */
async function updatesOthers(world: AttackWorld): Promise<void> {
  const { at, git } = world;
  const { kube } = world.capstan;
  const name = "images-updater";
  await withRegistry(world, listing(["1.0.0"]), async (host) => {
    const updates = (method: string, repository: string) => ({
      applicationRefs: [
        { namePattern: "*", images: [{ alias: "x", imageName: `${host}/x` }] },
        { namePattern: "told-*", images: [] },
      ],
      commonUpdateSettings: { forceUpdate: true },
      writeBackConfig: {
        method,
        gitConfig: { repository, branch: "main", writeBackTarget: "kustomization" },
      },
    });
    await giveUpdater(world, updates("git", `${at.gitUrl}/rival-app.git`));
    await createApplication(world, { name, annotations: {} });
    const project = {
      sourceRepos: [`${at.gitUrl}/team-*`],
      destinations: [{ server: "*", namespace }],
      sourceNamespaces: [namespace],
    };
    const argo = { apiVersion: "argoproj.io/v1alpha1", kind: "AppProject" };
    const metadata = { name: namespace, namespace: "argocd" };
    await kube.create({ ...argo, metadata, spec: project }, { signal: limit() });
    const sketch = sketchApplication({
      name,
      repoURL: `${at.gitUrl}/team-app.git`,
      project: namespace,
      syncPolicy: {},
    });
    await kube.create({ ...sketch, metadata: { ...sketch.metadata, namespace } }, { signal: limit() });
    const said = async (says: RegExp) => {
      let text = "";
      await eventually(
        async () => {
          const { items } = await kube.list({ apiVersion: "v1", kind: "Event", namespace }, limit());
          text = items.map(({ reason, message }) => `${reason}: ${message}`).join("\n");
          return says.test(text) || undefined;
        },
        { signal: limit(), describe: () => `it says ${text}` },
      );
      await world.assertUnharmed([text]);
    };
    await said(/ImageNotUpdated: .*rival-app.*not permitted/);
    await giveUpdater(world, updates("git:secret:argocd/argocd-secret", `${at.gitUrl}/team-app.git`));
    await said(/ImageNotUpdated: .*of another namespace/);
    assert.deepEqual(
      git.requests.filter((line) => /rival.*git-receive-pack/.test(line)),
      [],
    );
    const ref = { apiVersion: "argoproj.io/v1alpha1", kind: "Application", namespace: "argocd", name };
    const other = await kube.get(ref, limit());
    assert.doesNotMatch(JSON.stringify(other), /1\.0\.0/);
    const answer = await world.ask("alice", `GET /api/v1/applications/${name}/image-updates`);
    assert.deepEqual([answer.status, answer.body], [200, { by: "", images: [], problems: [] }]);
    await kube.delete({ ...updaterOf, namespace, name: "everything" }, { signal: limit() });
  });
}

export const attacks: readonly Attack[] = [
  {
    id: "image-updates/an-updater-of-a-tenant",
    threat:
      "Who may write an ImageUpdater in a namespace of Applications has others' Applications updated, and others' repositories written with Capstan's credentials",
    heldBy:
      "an ImageUpdater is for Applications of its own namespace alone, and each is written to only where its project permits",
    play: updatesOthers,
  },
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
    secret: "secret:kube-system/token#password",
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
    id: "image-updates/an-update-of-anothers",
    threat: "Accounts without the right to change an application have its images updated",
    heldBy: "to ask for updates takes the right to update the application",
    play: (world) =>
      withRegistry(world, listing(["1.0.0"]), async (host) => {
        const name = "images-asked";
        const annotations = { "image-list": `x=${host}/x` };
        await told(world, { name, annotations, says: /"to":"1\.0\.0"|does not run/ });
        const line = `POST /api/v1/applications/${name}/image-updates`;
        for (const who of ["bob", "carol", "nobody"] as const) {
          const { status } = await world.ask(who, line);
          assert.ok(status === 403 || status === 401, `${who}: ${status}`);
        }
        const { status, body } = await world.ask("alice", line);
        assert.equal(status, 200, JSON.stringify(body));
      }),
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
];
