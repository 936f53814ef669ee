/** What a revision names that is none. */
import assert from "node:assert/strict";
import { untilApplication } from "@capstan/testkit";
import type { Attack, AttackWorld } from "../attack.ts";
import { deployFine, deploys, fetchesOf } from "../deploy.ts";

const name = "no-commit";
const looks = 3;

/** Of an application that names a file's or a folder's id, beside one of the same repository that is as it should be. */
async function noCommit(world: AttackWorld): Promise<void> {
  const repository = await deployFine(world, name);
  const ids = [
    await repository.git("rev-parse", "HEAD:app/a.yaml"),
    await repository.git("rev-parse", "HEAD^{tree}"),
  ];
  for (const [at, targetRevision] of ids.entries())
    await deploys(`${name}-${at}`, {
      source: () => ({ repoURL: repository.url, targetRevision }),
      ends: { refused: /is no commit but a (blob|tree)/ },
    })(world);
  const before = fetchesOf(world, name);
  for (let look = 0; look < looks; look += 1) {
    for (const one of [`${name}-0`, `${name}-1`, name])
      await world.ask("alice", `GET /api/v1/applications/${one}?refresh=hard`);
    await untilApplication(world.capstan.kube, name, ({ sync }) => sync === "Synced");
  }
  assert.equal(fetchesOf(world, name), before, "the copy that all of the repository use was fetched again");
  await world.assertUnharmed([]);
}

export const attacks: readonly Attack[] = [
  {
    id: "revisions/no-commit",
    threat:
      "An application's revision is the id of a file or a folder: the copy of the repository, which all applications use, was taken for damaged and thrown away at every look",
    heldBy: "what is there and is no commit is refused; only what lacks is damage",
    play: noCommit,
  },
];
