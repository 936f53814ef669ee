import { isRecord } from "@capstan/formats";
import { argoApiVersion } from "../application/application.ts";
import { directorySourceSchema, helmSourceSchema, kustomizeSourceSchema } from "../application/source.ts";
import type { FieldProblem } from "../failures/failure.ts";
import { checkShape } from "../schema/check-shape.ts";
import { fieldError, fieldWarning, hasShape, readNoun, validateNoun } from "../validation.ts";
import { type ConfigManagementPlugin, configManagementPluginSchema } from "./config-management-plugin.ts";
import { type Pipeline, type PipelineStage, pipelineApiVersion, pipelineSchema } from "./pipeline.ts";

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
  return [...problems, ...inputRules(spec), ...sandboxRules(spec)];
}

function sandboxRules(spec: ConfigManagementPlugin["spec"]): FieldProblem[] {
  const names = (spec.environment ?? []).map((name, index) =>
    /^[A-Za-z_]\w*\*?$|^\*$/.test(name)
      ? []
      : [fieldError(`spec.environment[${index}]`, `"${name}" is no name of a variable`)],
  );
  const paths = (["readable", "writable"] as const).flatMap((field) =>
    (spec[field] ?? []).map((path, index) =>
      path.startsWith("/") && path !== "/" && !path.split("/").includes("..")
        ? []
        : [fieldError(`spec.${field}[${index}]`, `"${path}" is no whole path below /`)],
    ),
  );
  return [...names, ...paths].flat();
}

function inputRules({ inputs, isolation, network }: ConfigManagementPlugin["spec"]): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const isDeclared = (inputs?.paths ?? []).length + (inputs?.globs ?? []).length > 0;
  if (inputs && isDeclared === (inputs.observe === true)) {
    problems.push(fieldError("spec.inputs", "must say either what is read (paths, globs) or observe: true"));
  }
  if (network === false && (isolation === "none" || isolation === "copy")) {
    problems.push(fieldError("spec.isolation", "must be sandbox or absent where spec.network is false"));
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
  for (const [index, stage] of spec.stages.entries()) {
    const field = `spec.stages[${index}]`;
    problems.push(...stageRules(stage, field), ...configRules(stage, `${field}.config`));
    if (index === 0 && stage.input !== undefined)
      problems.push(
        fieldError(`${field}.input`, "is set on the first stage, which has no manifests before it"),
      );
    const name = stageName(stage);
    if (names.has(name))
      problems.push(fieldError(`${field}.name`, `"${name}" is another stage's name too; give it a name`));
    names.add(name);
  }
  return problems;
}

/** How a stage is called: in errors, in parameters `STAGE/NAME` and on the page. */
export function stageName({ name, plugin }: Pick<PipelineStage, "name" | "plugin">): string {
  return name ?? plugin;
}

function stageRules(stage: PipelineStage, field: string): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (stage.plugin === "")
    problems.push(fieldError(`${field}.plugin`, "is empty; name the plugin that runs"));
  if (stageName(stage).includes("/"))
    problems.push(fieldError(`${field}.name`, `"${stageName(stage)}" holds a slash; give it a name without`));
  for (const what of ["input", "path"] as const) {
    const value = stage[what];
    if (value?.startsWith("/") || value?.split("/").includes(".."))
      problems.push(
        fieldError(`${field}.${what}`, `"${value}" must stay within the application's directory`),
      );
  }
  return problems;
}

const configSchemas = {
  helm: helmSourceSchema,
  kustomize: kustomizeSourceSchema,
  directory: directorySourceSchema,
} as const;

export function isBuiltInTool(plugin: string): plugin is keyof typeof configSchemas {
  return plugin in configSchemas;
}

function configRules({ plugin, config, parameters }: PipelineStage, field: string): FieldProblem[] {
  if (!isBuiltInTool(plugin)) {
    const names = Object.keys(configSchemas).join(", ");
    return config === undefined
      ? []
      : [fieldError(field, `is for ${names}; give a plugin's settings as parameters`)];
  }
  if (plugin !== "helm" && (parameters ?? []).length > 0)
    return [fieldError(field.replace(/config$/, "parameters"), `${plugin} takes none; use config`)];
  return checkShape(configSchemas[plugin].shape, config ?? {}).map((problem) => ({
    ...problem,
    field: `${field}.${problem.field}`,
  }));
}
