import { defineCommand, UsageError } from "@capstan/cli/record";
import { installedTools } from "@capstan/programs";
import { installBuilds } from "./install-builds.ts";
import { officialBuilds } from "./official-builds.ts";

export default defineCommand({
  usage: "",
  help: "Download helm and kubectl (with Kustomize in it) from their makers, where none come along: macOS, and Linux on arm64.",
  notes: `Versions and SHA-256 sums are pinned; what is another file is not taken. Those on PATH are preferred.
They are put into CAPSTAN_CACHE, else ~/.cache/capstan.
`,
  examples: ["capstan tools install", "capstan tools install --mirror https://mirror.example.com/"],
  argument: "none",
  arity: [0, 0],
  standsAlone: true,
  flags: {
    mirror: {
      kind: "string",
      value: "URL",
      help: "What stands before get.helm.sh/… and dl.k8s.io/…",
      byDefault: "https://",
    },
  },
  async run({ flags: { mirror = "https://" }, io }) {
    if (!/^https?:\/\/(?:.+\/)?$/.test(mirror))
      throw new UsageError(
        `--mirror: "${mirror}" is no URL that ends with /, as https://mirror.example.com/`,
      );
    const builds = officialBuilds(process.platform, process.arch);
    if (builds.length === 0)
      throw new UsageError(
        `no builds are pinned for ${process.platform} on ${process.arch}: put helm and kubectl on PATH`,
      );
    const folder = installedTools(io.env);
    await installBuilds({
      ...{ builds, folder, mirror, env: io.env, clock: io.clock, signal: io.signal },
      say: (line) => io.out(`${line}\n`),
    });
    io.out(`installed in ${folder}\n`);
    return 0;
  },
});
