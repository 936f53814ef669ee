/** What a tenant makes of an ApplicationSet. */
import assert from "node:assert/strict";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { isRecord } from "@capstan/formats";
import { eventually, sketchApplication } from "@capstan/testkit";
import type { Attack, AttackWorld } from "../attack.ts";
import { asks } from "../request.ts";

const apiVersion = "argoproj.io/v1alpha1";
const limit = () => AbortSignal.timeout(100_000);
const ref = (kind: string, name: string) => ({ apiVersion, kind, namespace: "argocd", name });

interface Sketch {
  readonly generators: readonly unknown[];
  readonly template?: object;
  readonly [field: string]: unknown;
}

function setOf(gitUrl: string, name: string, { template, ...spec }: Sketch) {
  return {
    metadata: { name },
    spec: {
      template: {
        metadata: { name: "{{name}}" },
        spec: {
          project: "team",
          source: { repoURL: `${gitUrl}/team-sets.git`, path: "." },
          destination: { server: "https://kubernetes.default.svc", namespace: "team-sets" },
        },
        ...template,
      },
      ...spec,
    },
  };
}

const one = (name: string, more: object = {}) => [{ list: { elements: [{ name }], ...more } }];

async function create(world: AttackWorld, name: string, sketch: Sketch): Promise<void> {
  const body = setOf(world.at.gitUrl, name, sketch);
  const { status, body: answer } = await world.ask("alice", "POST /api/v1/applicationsets?upsert=true", {
    body,
  });
  assert.equal(status, 200, JSON.stringify(answer));
}

/** Waits until the set's conditions say something of the kind, and gives all that they say. */
async function untilSaid(world: AttackWorld, name: string, text: RegExp): Promise<string> {
  let last = "";
  return eventually(
    async () => {
      const found = await world.capstan.kube.get(ref("ApplicationSet", name), limit());
      last = JSON.stringify(isRecord(found?.status) ? found.status : {});
      return text.test(last) ? last : undefined;
    },
    { signal: limit(), describe: () => `the set says ${last}` },
  );
}

export const attacks: readonly Attack[] = [
  {
    id: "sets/a-generator-with-another-project",
    threat:
      "A tenant's ApplicationSet is of its own project, and the template of its generator of another one",
    heldBy:
      "the API takes no generator whose template names another project than the set, for which rights are asked",
    play: asks({
      who: "alice",
      method: "POST",
      path: () => "/api/v1/applicationsets",
      body: ({ gitUrl }) =>
        setOf(gitUrl, "sets-generator", {
          generators: one("sets-generator", { template: { spec: { project: "rival" } } }),
        }),
      status: [400],
      says: /another project than that of the set/,
    }),
  },
  {
    id: "sets/jq-that-costs",
    slow: true,
    threat:
      "A tenant's ApplicationSet ignores differences by jq expressions that never end, or tell of the environment",
    heldBy:
      "jq runs in a thread that is ended after a second, without environment and files; the set is left alone for a while, which its condition says",
    play: async (world) => {
      const jqPathExpressions = ["last(repeat(.))", "error(env | tojson)"];
      const ignoreApplicationDifferences = [{ jqPathExpressions }];
      await create(world, "sets-jq", { generators: one("sets-jq"), ignoreApplicationDifferences });
      const says =
        /ignoreApplicationDifferences\[0\]\.jqPathExpressions\[0\].* cannot be evaluated: .*more than/;
      await world.assertUnharmed([await untilSaid(world, "sets-jq", says)]);
      const other = await world.ask("bob", "GET /api/v1/applications");
      assert.equal(other.status, 200);
    },
  },
  {
    id: "sets/a-patch-with-another-project",
    threat: "The templatePatch of a tenant's ApplicationSet moves what it makes to another project",
    heldBy: "a patch changes no project",
    play: async (world) => {
      const templatePatch = "spec: {project: rival, destination: {namespace: rival-a}}";
      await create(world, "sets-patch", { generators: one("sets-patch"), templatePatch });
      const said = await untilSaid(world, "sets-patch", /ApplicationSetUpToDate/);
      const made = await world.capstan.kube.get(ref("Application", "sets-patch"), limit());
      assert.equal(isRecord(made?.spec) ? made.spec.project : undefined, "team");
      await world.assertUnharmed([said]);
    },
  },
  {
    id: "sets/an-application-of-another-project",
    threat: "A tenant's ApplicationSet makes an Application that has the name of another project's",
    heldBy: "a set takes on no Application of another project",
    play: async (world) => {
      const { kube } = world.capstan;
      const name = "sets-victim";
      const repoURL = `${world.at.gitUrl}/rival-app.git`;
      await kube.create(sketchApplication({ name, repoURL, project: "rival", syncPolicy: {} }), {
        signal: limit(),
      });
      await create(world, "sets-thief", { generators: one(name) });
      const said = await untilSaid(world, "sets-thief", /is there already, of project rival/);
      const victim = await kube.get(ref("Application", name), limit());
      assert.equal(isRecord(victim?.spec) ? victim.spec.project : undefined, "rival");
      assert.equal(victim?.metadata.ownerReferences, undefined);
      await world.assertUnharmed([said]);
    },
  },
  {
    id: "sets/a-template-that-loops",
    threat:
      "Templates of an ApplicationSet loop, double their texts, recurse and print maps within themselves, so that Capstan answers nobody",
    heldBy:
      "a template has a limit of steps and of what it makes, and so have all templates of a set together",
    play: async (world) => {
      const endless = [
        "{{range 1000000000}}{{end}}",
        '{{$x := "0123456789"}}{{range 60}}{{$x = print $x $x}}{{end}}{{$x}}',
        '{{define "r"}}{{template "r"}}{{end}}{{template "r"}}',
        '{{set . "own" (list .) | toString}}',
      ];
      for (const [index, name] of endless.entries()) {
        const set = `sets-loop-${index}`;
        const template = { metadata: { name, labels: { "{{.name}}": name } } };
        await create(world, set, { goTemplate: true, generators: one("x"), template });
        await untilSaid(world, set, /RenderTemplateParamsError/);
      }
      assert.equal((await world.ask("alice", "GET /api/v1/applicationsets")).status, 200);
      await world.assertUnharmed([]);
    },
  },
  {
    id: "sets/a-file-outside",
    threat: "A git generator reads files that are links out of its repository, and shows what they hold",
    heldBy: "a link that leads out of the repository fails the set",
    play: async (world) => {
      const { at, git } = world;
      const { dir, url, commit } = await git.createRepository("team-sets-files", {
        "README.md": "an attack\n",
      });
      await symlink(join(at.outside, "secret"), join(dir, "absolute.yaml"));
      await symlink("../../../../../../etc/passwd", join(dir, "relative.yaml"));
      await commit({}, "links");
      for (const path of ["absolute.yaml", "relative.yaml", "*.yaml"]) {
        const body = {
          applicationSet: setOf(at.gitUrl, "sets-files", {
            generators: [{ git: { repoURL: url, files: [{ path }] } }],
          }),
        };
        const answer = await world.ask("alice", "POST /api/v1/applicationsets/generate", { body });
        const text = JSON.stringify(answer.body);
        assert.equal(answer.status, 400, text);
        assert.match(text, /leads out|outside|absolute\.yaml|relative\.yaml/);
        await world.assertUnharmed([text]);
      }
    },
  },
  {
    id: "sets/a-repository-of-another-project",
    threat:
      "A git generator of a tenant's ApplicationSet reads another project's repository with its credentials",
    heldBy: "a generator reads what the set's project permits, with the credentials of that project",
    play: asks({
      who: "alice",
      method: "POST",
      path: () => "/api/v1/applicationsets/generate",
      body: ({ gitUrl }) => {
        const generators = [{ git: { repoURL: `${gitUrl}/rival-app.git`, files: [{ path: "*" }] } }];
        return { applicationSet: setOf(gitUrl, "sets-rival", { generators }) };
      },
      status: [400, 403],
      says: /not permitted/,
    }),
  },
  {
    id: "sets/a-consent-to-anothers-deletions",
    threat: "Accounts without the right to change an ApplicationSet allow that it deletes more than it may",
    heldBy: "the consent takes the right to update the set, and names the plan that is held",
    play: async (world) => {
      const names = Array.from({ length: 11 }, (_, index) => `sets-held-${index}`);
      const generators = [{ list: { elements: names.map((name) => ({ name })) } }];
      await create(world, "sets-held", { generators });
      await untilSaid(world, "sets-held", /"resourcesCount":11/);
      await create(world, "sets-held", { generators: one("sets-held-0") });
      const said = await untilSaid(world, "sets-held", /"DeletionHeld"/);
      const code = / (10-[0-9a-f]{20})"/.exec(said)?.[1];
      const line = "POST /api/v1/applicationsets/sets-held/allow-deletion";
      for (const who of ["bob", "carol", "nobody"] as const) {
        const { status } = await world.ask(who, line, { body: { code } });
        assert.ok(status === 403 || status === 401, `${who}: ${status}`);
      }
      const wrong = await world.ask("alice", line, { body: { code: `10-${"0".repeat(20)}` } });
      assert.equal(wrong.status, 400, JSON.stringify(wrong.body));
      for (const name of names) {
        const app = await world.capstan.kube.get(ref("Application", name), limit());
        assert.equal(app?.metadata.deletionTimestamp, undefined, name);
      }
      await world.assertUnharmed([said]);
    },
  },
];
