import { isRecord } from "@capstan/formats";
import { CapstanError, messageOf, parseYaml } from "@capstan/model";
import { pluginEnv, type RenderContext, splitList, stripQuotes, unquote } from "@capstan/plugin-kit";
import { defaultOf, type SettingName } from "./parameters.ts";

export type Env = Readonly<Record<string, string | undefined>>;

/** One application's settings: its plugin parameters, else its variables, else the operator's, else the default. */
export class LovelySettings {
  readonly #given: ReadonlyMap<string, string>;
  readonly #operator: Env;

  constructor(context: RenderContext, operator: Env) {
    const own = context.source.plugin ? pluginEnv(context) : [];
    this.#given = new Map(own.map(({ name, value }) => [name, value]));
    this.#operator = operator;
  }

  text(name: SettingName): string {
    const operator = this.#operator[`ARGOCD_ENV_${name}`] ?? this.#operator[name];
    return this.#chosen(name) ?? operator ?? defaultOf(name);
  }

  /** Whether the application chose the value, and not the operator. */
  isChosen(name: SettingName): boolean {
    return this.#chosen(name) !== undefined;
  }

  /** As Go's strconv.ParseBool reads it; what it cannot read is the default. */
  flag(name: SettingName): boolean {
    for (const text of [this.text(name), defaultOf(name)]) {
      if (/^(1|t|T|true|TRUE|True)$/.test(text)) return true;
      if (/^(0|f|F|false|FALSE|False)$/.test(text)) return false;
    }
    return false;
  }

  /** Blank-separated arguments; quotes around a whole one are taken off, others are the argument's own. */
  args(name: SettingName): string[] {
    return this.#split(name, " ").map(unquote);
  }

  /** Of helmfile, where lovely takes off each quote at either end (helmfileProcessor.go stripQuotes). */
  helmfileArgs(): string[] {
    return this.#split("LOVELY_HELMFILE_TEMPLATE_PARAMS", " ").map(stripQuotes);
  }

  /** Commands for one directory, named from the application's ("." is itself). */
  commands(kind: "LOVELY_PLUGINS" | "LOVELY_PREPROCESSORS", directory: string): string[] {
    return this.#byDirectory(`${kind}_YAML`).get(directory) ?? this.#split(kind, ",");
  }

  #chosen(name: string): string | undefined {
    return this.#given.get(`PARAM_${name}`) ?? this.#given.get(`ARGOCD_ENV_${name}`);
  }

  #split(name: SettingName, separator: string): string[] {
    try {
      return splitList(this.text(name), separator);
    } catch (error) {
      throw invalid(name, messageOf(error));
    }
  }

  #byDirectory(name: SettingName): ReadonlyMap<string, string[]> {
    const text = this.text(name);
    if (text.trim() === "") return new Map();
    const value = parseYaml(text, { file: name });
    if (!isRecord(value)) throw invalid(name, "it must be a map from directory to list of commands");
    return new Map(
      Object.entries(value).map(([directory, commands]) => {
        if (Array.isArray(commands) && commands.every((one) => typeof one === "string"))
          return [directory, commands];
        throw invalid(name, `${directory} must be a list of commands`);
      }),
    );
  }
}

function invalid(name: string, problem: string): CapstanError {
  return new CapstanError({ code: "INVALID_ARGUMENT", field: name, problem });
}

/** Settings by which an application makes programs run, or gives them arguments that may run others. */
export const settingNamesThatRun = [
  "LOVELY_PLUGINS",
  "LOVELY_PLUGINS_YAML",
  "LOVELY_PREPROCESSORS",
  "LOVELY_PREPROCESSORS_YAML",
  "LOVELY_KUSTOMIZE_PATH",
  "LOVELY_KUSTOMIZE_PARAMS",
  "LOVELY_HELM_PATH",
  "LOVELY_HELM_TEMPLATE_PARAMS",
  "LOVELY_HELMFILE_PATH",
  "LOVELY_HELMFILE_TEMPLATE_PARAMS",
] as const satisfies readonly SettingName[];
