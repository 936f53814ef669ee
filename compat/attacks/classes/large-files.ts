/** What a repository's own server of Git LFS may answer. */
import { LfsContents, type LfsMisdeeds, startGitServer } from "@capstan/testkit";
import type { Attack, AttackWorld } from "../attack.ts";
import { deploys } from "../deploy.ts";

interface Try {
  readonly files: (lfs: LfsContents) => Readonly<Record<string, string>>;
  readonly misdeeds?: (world: AttackWorld) => LfsMisdeeds;
  readonly refused: RegExp;
}

const one = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\n";
/** An application of alice's from a server of her own, whose repository the operator gave Git LFS. */
function fetches(name: string, { files, misdeeds, refused }: Try): (world: AttackWorld) => Promise<void> {
  return async (world) => {
    const lfs = new LfsContents();
    await using server = await startGitServer({ lfs });
    const { url } = await server.createRepository("team-charts", files(lfs));
    lfs.misdeeds = misdeeds?.(world) ?? {};
    const made = await world.ask("admin", "POST /api/v1/repositories", {
      body: { repo: url, enableLfs: true },
    });
    if (made.status !== 200) throw new Error(JSON.stringify(made.body));
    const absent = [{ apiVersion: "v1", kind: "ConfigMap", namespace: `team-${name}`, name: "one" }];
    await deploys(name, { source: () => ({ repoURL: url }), ends: { refused }, absent })(world);
  };
}

export const attacks: readonly Attack[] = [
  {
    id: "large-files/other-content",
    threat: "A server of Git LFS gives another content than the one that was committed",
    heldBy: "a content has the size and the SHA-256 of its pointer, or is not rendered",
    play: fetches("lfs-other-content", {
      files: (lfs) => ({ "app/one.yaml": lfs.keep(one) }),
      misdeeds: () => ({ content: Buffer.from(one.replace("one", "two")) }),
      refused: /app\/one\.yaml.*what its server gave is not what the pointer names/,
    }),
  },
  {
    id: "large-files/led-to-a-file",
    threat: "A server of Git LFS leads to a file of the machine",
    heldBy: "contents are fetched by http and https alone",
    play: fetches("lfs-led-to-a-file", {
      files: (lfs) => ({ "app/one.yaml": lfs.keep(one) }),
      misdeeds: ({ at }) => ({ href: `file://${at.outside}/secret` }),
      refused: /scheme file:, which is not followed/,
    }),
  },
  {
    id: "large-files/more-than-there-is-room",
    threat: "A pointer of Git LFS names more than the disk and the memory hold",
    heldBy:
      "the sizes that pointers name are counted before anything is fetched: 64 MiB a file, 1 GiB a source",
    play: fetches("lfs-too-much", {
      files: () => ({
        "app/one.yaml": `version https://git-lfs.github.com/spec/v1\noid sha256:${"0".repeat(64)}\nsize ${2 ** 40}\n`,
      }),
      refused: /app\/one\.yaml.* limit/,
    }),
  },
];
