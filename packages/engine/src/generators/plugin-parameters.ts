import type { TerminalGenerator } from "@capstan/model";
import type { PluginAnswer, PluginQuestion } from "./facts.ts";
import { flattenParameters, type Parameters } from "./parameters.ts";
import { type Templates, withValues } from "./templates.ts";

type Plugin = NonNullable<TerminalGenerator["plugin"]>;

/** What has to be known for a plugin generator. */
export function pluginQuestion({ configMapRef, input }: Plugin, applicationSet: string): PluginQuestion {
  return { configMap: configMapRef.name, applicationSet, parameters: input?.parameters ?? {} };
}

/**
 * One set for each object of the answer, with what was asked for beside it (applicationset/generators PluginGenerator;
 * what was asked for is JSON, as its documentation has it, where its code gives templates the bytes).
 */
export function pluginParameters(
  { input, values }: Plugin,
  { objects = [] }: PluginAnswer,
  form: { templates: Templates; isGo: boolean },
): Parameters[] {
  const generator = { input: { parameters: input?.parameters ?? {} } };
  return objects.map((object) =>
    withValues({ ...(form.isGo ? object : flattenParameters(object)), generator }, values, form),
  );
}
