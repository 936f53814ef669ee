import type { Clock } from "@capstan/flow";
import type { KubeLog, Settings } from "@capstan/kube";
import { LuaThread } from "@capstan/lua";
import { CustomActions } from "./custom-actions.ts";
import { ObjectHealth } from "./object-health.ts";

/** What the operator's scripts are asked for; one for all that a process does, since they share a thread. */
export interface Scripts extends AsyncDisposable {
  readonly health: ObjectHealth;
  readonly actions: CustomActions;
}

interface Input {
  settings: { readonly current: Settings };
  clock: Clock;
  log: KubeLog;
}

/** No thread is started before there is a script to run. */
export function openScripts({ settings, clock, log }: Input): Scripts {
  const lua = new LuaThread({ clock });
  const health = new ObjectHealth({ settings, lua, clock, log });
  return {
    health,
    actions: new CustomActions({ settings, lua, clock }),
    async [Symbol.asyncDispose]() {
      health.close();
      await lua[Symbol.asyncDispose]();
    },
  };
}
