import type { Mode } from "./attack.ts";

/** nobody: a user without any right of its own. */
const nobody = 65_534;
const isRoot = process.getuid?.() === 0;

/** As root, and as root without bubblewrap, where this is root; always as an ordinary user. */
export const modes: readonly Mode[] = isRoot
  ? [
      { name: "root", hasSandbox: true },
      { name: "user", user: nobody, hasSandbox: true },
      { name: "root without sandbox", hasSandbox: false },
      { name: "user without sandbox", user: nobody, hasSandbox: false },
    ]
  : [
      { name: "user", hasSandbox: true },
      { name: "user without sandbox", hasSandbox: false },
    ];
