import { CapstanError, type PluginParameter } from "@capstan/model";
import type { RenderContext } from "@capstan/plugin-kit";

type Env = Readonly<Record<string, string | undefined>>;

export const defaultDomain = "argocd.my-org.io";

export const switchValues = ["true", "false"];

/** What an application wants of its package. */
export interface KptOptions {
  setters: ReadonlyMap<string, string>;
  annotations: ReadonlyMap<string, string>;
  keepsLocal: boolean;
}

/** Parameters, then the application's variables, then the operator's. */
export function readKptOptions({ source, env: build }: RenderContext, env: Env): KptOptions {
  const given = (name: string): PluginParameter | undefined =>
    source.plugin?.parameters?.find((one) => one.name === name);
  const own = source.plugin?.env?.find(
    ({ name }) => name.replace(/^ARGOCD_ENV_/, "") === "ANNOTATION_DOMAIN",
  )?.value;
  const domain = given("annotation-domain")?.string ?? own ?? (env.ANNOTATION_DOMAIN || defaultDomain);
  const values = {
    app: build.ARGOCD_APP_NAME,
    rev: build.ARGOCD_APP_REVISION,
    repo: build.ARGOCD_APP_SOURCE_REPO_URL,
    branch: build.ARGOCD_APP_SOURCE_TARGET_REVISION,
    path: build.ARGOCD_APP_SOURCE_PATH,
  };
  const annotations = Object.entries(values).map(
    ([key, value]) => [`${domain}/${key}`, value ?? ""] as const,
  );
  const isOff = domain === "none" || domain === "";
  return {
    setters: readSetters(given("setters")),
    annotations: new Map(isOff ? [] : annotations),
    keepsLocal: readSwitch(given("keep-local-config")),
  };
}

function readSetters(given: PluginParameter | undefined): ReadonlyMap<string, string> {
  const isOther = given?.string !== undefined || given?.array !== undefined;
  if (isOther && given.map === undefined)
    throw refuse("setters", "is a map: write setters[NAME]=VALUE, or map: {NAME: VALUE} in the Application");
  return new Map(Object.entries(given?.map ?? {}));
}

function readSwitch(given: PluginParameter | undefined): boolean {
  const { string = "false" } = given ?? {};
  if (!switchValues.includes(string))
    throw refuse("keep-local-config", `"${string}" is neither ${switchValues.join(" nor ")}`);
  return string === "true";
}

function refuse(name: string, problem: string): CapstanError {
  return new CapstanError({ code: "INVALID_ARGUMENT", field: `parameter ${name}`, problem });
}
