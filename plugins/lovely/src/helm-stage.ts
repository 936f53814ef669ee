import { chartInputs, type DependencyLogin, renderChart } from "@capstan/charts";
import { dumpYaml } from "@capstan/formats/yaml";
import { CapstanError, type HelmSource, isCapstanError } from "@capstan/model";
import {
  followLinks,
  type Generated,
  type Inputs,
  joinWithin,
  type Plugin,
  type RenderContext,
  type Stage,
  writeBelow,
} from "@capstan/plugin-kit";
import { DirectoryStage, hasFile } from "./directory-stage.ts";
import { editYaml, type FileEdit, isEdit } from "./merge-yaml.ts";
import type { SettingName } from "./parameters.ts";
import type { Env } from "./settings.ts";

export const chartFiles = ["Chart.yaml", "Chart.yml"];

const settingNames: readonly SettingName[] = [
  "LOVELY_HELM_PATH",
  "LOVELY_HELM_MERGE",
  "LOVELY_HELM_PATCH",
  "LOVELY_HELM_TEMPLATE_PARAMS",
  "LOVELY_HELM_REPO_ADD_PARAMS",
  "LOVELY_ENV_PROPAGATION",
];

/** `helm template` of a directory with a chart; nothing where there is none. */
export function helmStage(operator: Env): Plugin {
  return {
    name: "lovely-helm",
    inputs: async (context) => {
      if (!(await hasFile(context, chartFiles)))
        return { paths: [context.path], refs: {}, facts: "no chart" };
      return inputs(new DirectoryStage(context, operator));
    },
    generate: async (context, stage) => {
      if (!(await hasFile(context, chartFiles))) return { manifests: [], commands: [] };
      return generate(new DirectoryStage(context, operator), stage);
    },
  };
}

async function inputs(own: DirectoryStage): Promise<Inputs> {
  const needed = await inLovelysWords(chartInputs(await chartContext(own)));
  const facts = [needed.facts, own.facts(settingNames)];
  // Arguments may name any file.
  const paths = own.settings.text("LOVELY_HELM_TEMPLATE_PARAMS") === "" ? needed.paths : [""];
  return { ...needed, paths, facts };
}

/** Whoever wrote LOVELY_HELM_VALUES knows nothing of a helm section. */
async function inLovelysWords<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!isCapstanError(error) || error.failure.code !== "FILE_MISSING") throw error;
    const { neededBy, ...failure } = error.failure;
    if (neededBy !== "source.helm.valueFiles") throw error;
    throw new CapstanError({ ...failure, neededBy: "LOVELY_HELM_VALUES" }, error);
  }
}

async function generate(own: DirectoryStage, stage: Stage): Promise<Generated> {
  const { settings } = own;
  const confined = own.confine(stage);
  const { root } = await confined.workspace();
  const edit = valuesEdit(own);
  if (isEdit(edit)) {
    const { file, text } = await firstValues(own);
    writeBelow(root, file, editYaml(text, edit, file));
  }
  return renderChart(await chartContext(own), confined, {
    ...own.program("LOVELY_HELM_PATH", "helm"),
    args: settings.args("LOVELY_HELM_TEMPLATE_PARAMS"),
    env: own.env(true),
    login: readLogin(settings.args("LOVELY_HELM_REPO_ADD_PARAMS")),
  });
}

/** As an Application's helm section would say it. */
async function chartContext({ context, settings }: DirectoryStage): Promise<RenderContext> {
  const args = settings.args("LOVELY_HELM_TEMPLATE_PARAMS");
  const text = (name: SettingName) => settings.text(name);
  const helm: HelmSource = {
    skipCrds: !settings.flag("LOVELY_HELM_CRDS"),
    valueFiles: settings.args("LOVELY_HELM_VALUES"),
    ignoreMissingValueFiles: settings.flag("LOVELY_HELM_IGNORE_MISSING_VALUE_FILES"),
    ...(text("LOVELY_HELM_NAME") === "" ? {} : { releaseName: text("LOVELY_HELM_NAME") }),
    ...(text("LOVELY_HELM_NAMESPACE") === "" ? {} : { namespace: text("LOVELY_HELM_NAMESPACE") }),
  };
  const { plugin: _plugin, ...bare } = context.source;
  const isVersionGiven = args.some((arg) => /^--kube-version(=|$)/.test(arg));
  return {
    ...context,
    source: { ...bare, helm },
    ...(isVersionGiven ? { kubeVersion: "" } : {}),
  };
}

/** The values file that merge and patch change: the first, or values.yaml, which need not be there. */
async function firstValues({ context, settings }: DirectoryStage): Promise<{ file: string; text: string }> {
  const [name = "values.yaml"] = settings.args("LOVELY_HELM_VALUES");
  const file = joinWithin(context.path, name);
  if (file === undefined)
    throw new CapstanError({ code: "PATH_OUTSIDE", path: name, field: "LOVELY_HELM_VALUES" });
  const entry = await followLinks(context.tree, file);
  const isFile = entry?.kind === "file" || entry?.kind === "executable";
  return {
    file: entry?.path ?? file,
    text: isFile ? (await context.tree.read(entry)).toString() : dumpYaml({}),
  };
}

function valuesEdit({ settings }: DirectoryStage): FileEdit {
  const [mergeName, patchName] = ["LOVELY_HELM_MERGE", "LOVELY_HELM_PATCH"] as const;
  return { mergeName, patchName, merge: settings.text(mergeName), patch: settings.text(patchName) };
}

/** What `helm repo add` would be told; charts are downloaded without it. */
function readLogin(args: readonly string[]): DependencyLogin {
  const words = args.flatMap((arg) => {
    const equals = arg.startsWith("--") ? arg.indexOf("=") : -1;
    return equals < 0 ? [arg] : [arg.slice(0, equals), arg.slice(equals + 1)];
  });
  const login: { username?: string; password?: string; insecure?: boolean } = {};
  let passCredentials = false;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "--username") login.username = words[++at] ?? "";
    else if (word === "--password") login.password = words[++at] ?? "";
    else if (word === "--insecure-skip-tls-verify") login.insecure = true;
    else if (word === "--pass-credentials") passCredentials = true;
    else if (!["--force-update", "--no-update", "--allow-deprecated-repos"].includes(word)) {
      const known = "--username, --password, --pass-credentials, --insecure-skip-tls-verify";
      const shown = word.startsWith("--") ? word : "a value";
      const problem = `${shown} is not among ${known}. Give the repository's certificates with: capstan repo add`;
      throw new CapstanError({ code: "INVALID_ARGUMENT", field: "LOVELY_HELM_REPO_ADD_PARAMS", problem });
    }
  }
  return { login, passCredentials };
}
