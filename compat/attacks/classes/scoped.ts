/** Repositories that are a project's own are permitted to it by that alone: what a tenant makes of it. */
import assert from "node:assert/strict";
import { sketchApplication } from "@capstan/testkit";
import type { Attack, AttackWorld } from "../attack.ts";
import { asks } from "../request.ts";

const refused = /rival-app\S* is not permitted in project 'team'/;

/** As alice, with these repositories of her project's: an application of hers from rival's repository is refused. */
async function readsRivals(world: AttackWorld, name: string, urls: readonly string[]): Promise<string> {
  for (const repo of urls) {
    const body = { repo, project: "team" };
    const added = await world.ask("alice", "POST /api/v1/repositories?upsert=true", { body });
    assert.equal(added.status, 200, JSON.stringify(added.body));
  }
  const application = sketchApplication({
    name,
    repoURL: `${world.at.gitUrl}/rival-app.git`,
    path: ".",
    project: "team",
    destination: { server: "https://kubernetes.default.svc", namespace: "team-a" },
    syncPolicy: {},
  });
  const created = await world.ask("alice", "POST /api/v1/applications", { body: application });
  const text = JSON.stringify(created.body);
  assert.notEqual(created.status, 200, text);
  assert.match(text, refused);
  for (const repo of urls)
    await world.ask("admin", `DELETE /api/v1/repositories/${encodeURIComponent(repo)}?appProject=team`);
  return text;
}

export const attacks: readonly Attack[] = [
  {
    id: "scoped/repository-of-another-project",
    threat: "A tenant's application uses a repository that is another project's own",
    heldBy: "a repository of a project is permitted to that project alone",
    play: async (world) => world.assertUnharmed([await readsRivals(world, "scoped-of-another", [])]),
  },
  {
    id: "scoped/read-with-a-template",
    threat: "A tenant makes a repository his project's own that a password of all projects opens",
    heldBy: "a repository that lives on credentials of all projects has to be listed by the project",
    play: async (world) => {
      const url = world.at.gitUrl;
      const body = { url, username: "rival", password: "of all" };
      const made = await world.ask("admin", "POST /api/v1/repocreds?upsert=true", { body });
      assert.equal(made.status, 200, JSON.stringify(made.body));
      const said = await readsRivals(world, "scoped-by-template", [`${url}/rival-app.git`]);
      await world.ask("admin", `DELETE /api/v1/repocreds/${encodeURIComponent(url)}`);
      await world.assertUnharmed([said]);
    },
  },
  {
    id: "scoped/address-that-is-a-pattern",
    threat:
      "A tenant's own repository has an address that reads like a pattern, or a denial, of a project's list",
    heldBy: "an address of a repository counts as it is; one with a glob's characters permits nothing",
    play: async (world) => {
      const { gitUrl } = world.at;
      const urls = [`${gitUrl}/*`, `${gitUrl}/%2a`, `${gitUrl}/rival-{app,b}.git`];
      await world.assertUnharmed([await readsRivals(world, "scoped-pattern", urls)]);
    },
  },
  {
    id: "scoped/folder-of-the-machine",
    threat: "A tenant makes a git repository of the machine, which has no password, his project's own",
    heldBy: "folders are added for a project by whoever may add them for all",
    play: asks({
      who: "alice",
      method: "POST",
      path: () => "/api/v1/repositories?upsert=true",
      body: ({ outside }) => ({ repo: `file://${outside}`, project: "team" }),
      status: [403],
    }),
  },
];
