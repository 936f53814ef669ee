/** Files and git objects that are small and mean much. */
import { spawnSync } from "node:child_process";
import type { HostedRepository } from "@capstan/testkit";
import { fineConfigMap } from "./config-maps.ts";

/** Nine levels of nine aliases: half a thousand million nodes in a kilobyte. */
export const aliases = [
  'l0: &l0 ["x"]',
  ...Array.from({ length: 9 }, (_, level) => {
    const items = Array.from({ length: 9 }, () => `*l${level}`).join(", ");
    return `l${level + 1}: &l${level + 1} [${items}]`;
  }),
].join("\n");

export const nested = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`;

/** A tree of ten entries that are all one tree of ten entries, and so on: 10^depth files from a few hundred bytes. */
export async function growTree(repository: HostedRepository, depth: number): Promise<void> {
  const fan = (mode: string, id: string, type: string): string => {
    const lines = Array.from({ length: 10 }, (_, index) => `${mode} ${type} ${id}\td${index}`).join("\n");
    return pipe(repository, ["mktree"], `${lines}\n`);
  };
  const blob = pipe(repository, ["hash-object", "-w", "--stdin"], fineConfigMap);
  let tree = fan("100644", blob, "blob");
  for (let level = 0; level < depth; level += 1) tree = fan("40000", tree, "tree");
  const top = pipe(repository, ["mktree"], `40000 tree ${tree}\tapp\n`);
  const commit = await repository.git("commit-tree", top, "-m", "a bomb");
  await repository.git("update-ref", "refs/heads/main", commit);
}

function pipe(repository: HostedRepository, args: string[], input: string): string {
  const { stdout } = spawnSync("git", args, { cwd: repository.dir, input, encoding: "utf8" });
  return stdout.trim();
}

export const kustomizations = (levels: number): Record<string, string> =>
  Object.fromEntries([
    ["app/kustomization.yaml", "resources: [../l0/a, ../l0/b]\n"],
    ...Array.from({ length: levels }, (_, level) =>
      ["a", "b"].map((side) => [
        `l${level}/${side}/kustomization.yaml`,
        level + 1 < levels
          ? `namePrefix: ${side}-\nresources: [../../l${level + 1}/a, ../../l${level + 1}/b]\n`
          : `namePrefix: ${side}-\nresources: [c.yaml]\n`,
      ]),
    ).flat(),
    [`l${levels - 1}/a/c.yaml`, fineConfigMap],
    [`l${levels - 1}/b/c.yaml`, fineConfigMap],
  ]);

export const kptfile = (function_: string): string =>
  `apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: bomb\npipeline:\n  mutators:\n${function_}`;

/** A kpt package whose one function does this: lines indented by four. */
export const starlark = (main: string) => ({
  "app/Kptfile": kptfile("    - image: starlark:v0.5\n      configPath: fn.yaml\n"),
  "app/fn.yaml": `apiVersion: fn.kpt.dev/v1alpha1\nkind: StarlarkRun\nmetadata:\n  name: fn\n  annotations:\n    config.kubernetes.io/local-config: "true"\nsource: |\n  def main():\n${main}  main()\n`,
  "app/a.yaml": fineConfigMap,
});
