import type { Application, ApplicationSet } from "@capstan/model";
import { assignSteps } from "./application-steps.ts";

/**
 * The Application that goes next of a set which is deleted from its last step to its first: one at a time, the next when
 * it has gone (progressivesync PerformReverseDeletion). Those that no step selects are not among them.
 */
export function nextDeletion<App extends Application>(
  set: ApplicationSet,
  owned: readonly App[],
): App | undefined {
  const { stepOf } = assignSteps(set, owned);
  const [first] = owned
    .flatMap((app) => {
      const step = stepOf.get(app.metadata.name);
      return step === undefined ? [] : [{ app, step }];
    })
    .sort(
      (one, other) => other.step - one.step || (one.app.metadata.name < other.app.metadata.name ? -1 : 1),
    );
  return first?.app;
}
