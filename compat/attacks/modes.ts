import type { Mode } from "./attack.ts";

/** nobody: a user without any right of its own. */
const nobody = 65_534;
const isRoot = process.getuid?.() === 0;

/** As root, and as root without bubblewrap, where this is root; always as an ordinary user. */
export const modes: readonly Mode[] = isRoot
  ? [
      { name: "root", hasSandbox: true },
      { name: "user", user: nobody, hasSandbox: true },
      { name: "root, no sandbox", hasSandbox: false },
      { name: "user, no sandbox", user: nobody, hasSandbox: false },
    ]
  : [
      { name: "user", hasSandbox: true },
      { name: "user, no sandbox", hasSandbox: false },
    ];
