import type { GitHost, HostSettings } from "./git-host.ts";
import { openGithub } from "./github.ts";

const openers = {
  github: openGithub,
};

export type HostKind = keyof typeof openers;

/** Throws for settings that such a host does not take. */
export function hostFor(kind: HostKind, settings: HostSettings): GitHost {
  return openers[kind](settings);
}
