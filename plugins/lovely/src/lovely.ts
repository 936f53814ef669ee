import { inProcessPlugin, type Plugin } from "@capstan/plugin-kit";
import { announcedParameters } from "./parameters.ts";
import type { Env } from "./settings.ts";

/**
 * argocd-lovely-plugin as a pipeline: for each directory with an application its preprocessors, helm or helmfile,
 * kustomize, plain files, and its plugins. `operator` is the environment with settings for all applications.
 */
export function lovely(operator: Env): Plugin {
  return inProcessPlugin({
    name: "lovely",
    parameters: announcedParameters,
    expand: async (context) => (await import("./find-stages.ts")).findStages(context, operator),
  });
}
