import { UsageError } from "@capstan/cli/record";
import type { ContainerSettings } from "@capstan/plugin-kpt";

interface ContainerFlags {
  "image-pull-policy"?: string;
  mount?: readonly string[];
  env?: readonly string[];
  "as-current-user"?: boolean;
  network?: boolean;
}

const policies: Readonly<Record<string, ContainerSettings["pull"]>> = {
  always: "always",
  ifnotpresent: "missing",
  never: "never",
};

/** How containers run; a program is none, and takes none of it. */
export function containerSettings(flags: ContainerFlags, exec: string): ContainerSettings {
  const { mount = [], env = [], network = false } = flags;
  const isCurrent = flags["as-current-user"] ?? false;
  if (exec !== "" && (mount.length > 0 || env.length > 0 || network || isCurrent))
    throw new UsageError(
      "--mount, --as-current-user, --network and --env can only be used with container functions",
    );
  const policy = flags["image-pull-policy"] ?? "IfNotPresent";
  const pull = policies[policy.toLowerCase()];
  if (pull === undefined)
    throw new UsageError(`--image-pull-policy "${policy}" is none of Always, IfNotPresent, Never`);
  const user = isCurrent ? `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}` : "nobody";
  return { pull, mounts: mount, env, user };
}
