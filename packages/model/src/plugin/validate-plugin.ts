import { argoApiVersion } from "../application/application.ts";
import type { FieldProblem } from "../failures/failure.ts";
import { isRecord } from "../is-record.ts";
import { fieldError, fieldWarning, hasShape, readNoun, validateNoun } from "../validation.ts";
import { type ConfigManagementPlugin, configManagementPluginSchema } from "./config-management-plugin.ts";
import { type Pipeline, pipelineApiVersion, pipelineSchema } from "./pipeline.ts";

/** Argo CD does not look at the apiVersion of plugin.yaml (cmpserver/plugin/config.go). */
export function validateConfigManagementPlugin(value: unknown): FieldProblem[] {
  const apiVersion = isRecord(value) ? String(value.apiVersion) : argoApiVersion;
  return validateNoun(value, { schema: configManagementPluginSchema, apiVersion }, pluginRules);
}

export function readConfigManagementPlugin(value: unknown): ConfigManagementPlugin {
  return readNoun(configManagementPluginSchema, value);
}

function pluginRules({ metadata, spec }: ConfigManagementPlugin): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (metadata.name === "") problems.push(fieldError("metadata.name", "is empty; name the plugin"));
  const generates = (spec.generate?.command ?? []).length > 0;
  const transforms = (spec.transform?.command ?? []).length > 0;
  if (!generates && !transforms) {
    problems.push(fieldError("spec.generate.command", "is missing: the program that prints the manifests"));
  }
  if (spec.discover?.fileName?.includes("**") === true) {
    problems.push(
      fieldWarning("spec.discover.fileName", "** means no more than * here; use discover.find.glob"),
    );
  }
  for (const [index, { name, collectionType = "" }] of (spec.parameters?.static ?? []).entries()) {
    const field = `spec.parameters.static[${index}]`;
    if ((name ?? "") === "") problems.push(fieldError(`${field}.name`, "is empty; name the parameter"));
    if (!["", "string", "array", "map"].includes(collectionType)) {
      problems.push(
        fieldError(`${field}.collectionType`, `"${collectionType}" is none of string, array, map`),
      );
    }
  }
  return problems;
}

export function validatePipeline(value: unknown): FieldProblem[] {
  return validateNoun(value, { schema: pipelineSchema, apiVersion: pipelineApiVersion }, pipelineRules);
}

export function isPipeline(value: unknown): value is Pipeline {
  return hasShape(pipelineSchema, value);
}

export function readPipeline(value: unknown): Pipeline {
  return readNoun(pipelineSchema, value);
}

function pipelineRules({ spec }: Pipeline): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (spec.stages.length === 0)
    problems.push(fieldError("spec.stages", "is empty: a pipeline needs a stage"));
  const names = new Set<string>();
  for (const [index, { name, plugin, input, path }] of spec.stages.entries()) {
    const field = `spec.stages[${index}]`;
    if (index === 0 && input !== undefined)
      problems.push(
        fieldError(`${field}.input`, "is set on the first stage, which has no manifests before it"),
      );
    for (const [what, value] of [
      ["input", input],
      ["path", path],
    ] as const)
      if (value !== undefined && (value.startsWith("/") || value.split("/").includes("..")))
        problems.push(
          fieldError(`${field}.${what}`, `"${value}" must stay within the application's directory`),
        );
    if (plugin === "") problems.push(fieldError(`${field}.plugin`, "is empty; name the plugin that runs"));
    const own = name ?? plugin;
    if (own.includes("/"))
      problems.push(
        fieldError(`${field}.name`, `"${own}" must not hold a slash; give the stage a name without`),
      );
    if (names.has(own))
      problems.push(fieldError(`${field}.name`, `"${own}" is another stage's name too; give it a name`));
    names.add(own);
  }
  return problems;
}
