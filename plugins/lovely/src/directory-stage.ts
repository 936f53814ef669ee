import { type Inputs, pluginEnv, type RenderContext, type Stage, withoutRevision } from "@capstan/plugin-kit";
import { confinedStage, unconfinedVariable } from "@capstan/programs";
import type { SettingName } from "./parameters.ts";
import { type Env, LovelySettings, settingNamesThatRun } from "./settings.ts";

/** Variables that would change which programs run, and for the sandbox itself too. */
const machineVariable = /^(PATH|HOME|TMPDIR|LD_.*|GLIBC_.*|GCONV_PATH|GIT_CONFIG_.*|CAPSTAN_.*)$/;

/** What the stages of one directory have in common: settings, variables and how programs run. */
export class DirectoryStage {
  readonly settings: LovelySettings;
  readonly context: RenderContext;
  readonly #operator: Env;

  constructor(context: RenderContext, operator: Env) {
    this.context = context;
    this.settings = new LovelySettings(context, operator);
    this.#operator = operator;
  }

  /** A program that a setting names, when it is not the usual one. */
  program(name: SettingName, usual: string): { program?: string } {
    const program = this.settings.text(name);
    return program === "" || program === usual ? {} : { program };
  }

  /** Of commands; for helm, kustomize and helmfile ARGOCD_ENV_X may be X too. */
  env(forTool: boolean): Record<string, string> {
    const own = Object.fromEntries(pluginEnv(this.context).map(({ name, value }) => [name, value]));
    if (!forTool || !this.settings.flag("LOVELY_ENV_PROPAGATION")) return own;
    const plain = Object.entries(own)
      .filter(([name]) => name.startsWith("ARGOCD_ENV_"))
      .map(([name, value]) => [name.slice("ARGOCD_ENV_".length), value] as const)
      .filter(([name]) => !machineVariable.test(name));
    return { ...own, ...Object.fromEntries(plain) };
  }

  /** What applications choose to run sees its own files only; it needs no sandbox where the operator chose it. */
  confine(stage: Stage, given: { isChosen: boolean } = { isChosen: false }): Stage {
    const hasVariables = (this.context.source.plugin?.env ?? []).length > 0;
    const isChosen =
      given.isChosen ||
      settingNamesThatRun.some((name) => this.settings.isChosen(name)) ||
      (hasVariables && this.settings.flag("LOVELY_ENV_PROPAGATION"));
    const mayRunOpenly = !isChosen || this.#operator[unconfinedVariable] === "true";
    return confinedStage(stage, { plugin: "lovely", mayRunOpenly });
  }

  /** Of helm and kustomize, whose output tells no commit. */
  facts(names: readonly SettingName[]): unknown {
    const variables = withoutRevision(pluginEnv(this.context));
    return [this.context.path, variables, names.map((name) => this.settings.text(name))];
  }

  /** Of commands, which may read anything. */
  everything(what: unknown): Inputs {
    const { refs } = this.context;
    return {
      paths: [""],
      refs: Object.fromEntries(Object.keys(refs).map((name) => [name, [""]])),
      facts: [this.context.path, pluginEnv(this.context), what],
    };
  }
}

export async function hasFile(context: RenderContext, names: readonly string[]): Promise<string | undefined> {
  const entries = await context.tree.list(context.path);
  return names.find((name) => entries.some((one) => one.name === name));
}
