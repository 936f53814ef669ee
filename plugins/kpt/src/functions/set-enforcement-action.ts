import { setText } from "@capstan/krm-yaml";
import type { KrmFunction, ResultItem } from "../function.ts";
import { fileOf, identityOf } from "../item.ts";
import { dataOf, info, problem, refuse } from "./function-config.ts";

const policyApiVersion = "constraints.gatekeeper.sh/v1beta1";

/** Whether Gatekeeper's constraints deny, warn or only report. */
export const setEnforcementAction: KrmFunction = (list) => {
  const data = dataOf(list.functionConfig);
  const action = data.get("enforcementAction") ?? "";
  if (data.size !== 1) return refused("expecting exactly 1 enforcementAction as part of the ConfigMap");
  if (!["deny", "warn", "dryrun"].includes(action))
    return refused("expected values for enforcementAction are [deny] or [warn] or [dryrun]");
  const results: ResultItem[] = [];
  for (const item of list.items) {
    const { apiVersion, kind, name } = identityOf(item);
    if (apiVersion !== policyApiVersion || kind === "" || name === "") continue;
    setText(item.root, ["spec", "enforcementAction"], action);
    results.push({ ...info(`Policy name: [${name}]`), file: { path: fileOf(item).path } });
  }
  list.results =
    results.length > 0
      ? [info(`Number of policies set to [${action}]: ${results.length}`), ...results]
      : [problem(`Found no policy to set to [${action}]`, "warning")];
  return undefined;

  function refused(message: string) {
    refuse(list, "failed to process policies", message);
    // Unlike its siblings the program leaves the printing to the framework.
    return { exitCode: 1, stderr: message };
  }
};
