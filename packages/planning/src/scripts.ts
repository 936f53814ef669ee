import type { Clock } from "@capstan/flow";
import { JqThread } from "@capstan/jq";
import type { KubeLog, Settings } from "@capstan/kube";
import { LuaThread } from "@capstan/lua";
import { CustomActions } from "./custom-actions.ts";
import { DryRuns } from "./dry-runs.ts";
import { JqDeletions } from "./jq-deletions.ts";
import { ObjectHealth } from "./object-health.ts";

/**
 * What is found out of objects beside comparing, once for all that a process does: by the operator's scripts and
 * everybody's jq expressions, each language in one thread, and by dry runs.
 */
export interface Scripts extends AsyncDisposable {
  readonly health: ObjectHealth;
  readonly actions: CustomActions;
  readonly jq: JqDeletions;
  readonly dryRuns: DryRuns;
}

interface Input {
  settings: { readonly current: Settings };
  clock: Clock;
  log: KubeLog;
}

/** No thread is started before there is something to run. */
export function openScripts({ settings, clock, log }: Input): Scripts {
  const lua = new LuaThread({ clock });
  const jq = new JqThread({ clock });
  const health = new ObjectHealth({ settings, lua, clock, log });
  return {
    health,
    actions: new CustomActions({ settings, lua, clock }),
    jq: new JqDeletions({ settings, jq, clock }),
    dryRuns: new DryRuns(),
    async [Symbol.asyncDispose]() {
      health.close();
      await Promise.all([lua[Symbol.asyncDispose](), jq[Symbol.asyncDispose]()]);
    },
  };
}
