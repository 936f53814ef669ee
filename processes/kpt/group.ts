import type { Endings, Group } from "@capstan/cli/record";
import { runNotes } from "./run-flags.ts";

/** As kpt ends (its main.go): 1 whatever failed. */
const endings: Endings = { prefix: "error: ", usage: 1, failed: 1 };

export const kptGroup: Group = {
  name: "kpt",
  program: "kpt",
  summary: "Run the functions of kpt packages, those of the catalog in process",
  notes: runNotes,
  endings,
  /** What does the work of kpt's commands that are not here. */
  instead: {
    pkg: "get and update packages with git or with kpt itself",
    live: "an application (capstan app create) applies a package and prunes what it no longer has",
    alpha: "use kpt itself",
    doc: "what a function does is told in docs/kpt.md and by its catalog",
  },
};
