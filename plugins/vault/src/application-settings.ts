import type { RenderContext } from "@capstan/plugin-kit";
import { Settings } from "@capstan/secret-services/settings";

type Env = Readonly<Record<string, string | undefined>>;

/** As ARGOCD_ENV_X and as X: both are what the application sets. */
export function applicationSettings({ source }: RenderContext, env: Env): Settings {
  const own = (source.plugin?.env ?? []).map(({ name, value }) => [name.replace(/^ARGOCD_ENV_/, ""), value]);
  return new Settings(Object.fromEntries(own), env);
}
