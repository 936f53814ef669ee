import type { HandlerOf } from "../../call.ts";
import type { ApiContext } from "../context.ts";
import { accountsOf } from "../session/accounts.ts";
import { loginSettings } from "./login-settings.ts";

export interface SettingsNeeds extends Pick<ApiContext, "settings" | "repo" | "controlNamespace"> {
  /** The cluster is the embedded one, in which nothing really runs. */
  simulatedCluster: boolean;
  version: string;
}

/** Somebody without a token gets what the login page needs (Argo CD: server/settings). */
export function getSettings(context: SettingsNeeds): HandlerOf<"getSettings"> {
  return async (_request, { user }) => {
    const { general } = context.settings.current;
    const { raw, tracking } = general;
    return {
      url: general.url ?? "",
      additionalUrls: [...general.additionalUrls],
      appLabelKey: tracking.instanceLabelKey,
      trackingMethod: tracking.method,
      statusBadgeEnabled: raw["statusbadge.enabled"] === "true",
      userLoginsDisabled: !accountsOf(context.settings.current).some(
        ({ enabled, capabilities }) => enabled && capabilities.includes("login"),
      ),
      ...loginSettings(general),
      execEnabled: false,
      appsInAnyNamespaceEnabled: false,
      hydratorEnabled: false,
      help: { ...text("chatUrl", raw["help.chatUrl"]), ...text("chatText", raw["help.chatText"]) },
      plugins: [],
      simulatedCluster: context.simulatedCluster,
      ...(user.name === ""
        ? {}
        : {
            controllerNamespace: context.controlNamespace,
            passwordPattern: general.passwordPattern,
            ...text("uiBannerContent", raw["ui.bannercontent"]),
            ...text("uiBannerURL", raw["ui.bannerurl"]),
          }),
    };
  };
}

function text<K extends string>(name: K, value: string | undefined): { [N in K]?: string } {
  const fields: { [N in K]?: string } = {};
  if (value) fields[name] = value;
  return fields;
}

export function listPlugins({ repo }: SettingsNeeds): HandlerOf<"listPlugins"> {
  return async () => ({ plugins: [...(await repo.listPlugins())] });
}

export function getVersion({ version }: SettingsNeeds): HandlerOf<"getVersion"> {
  return async (_request, { user }) => ({
    Version: version,
    ...(user.name === "" ? {} : { Platform: `${process.platform}/${process.arch}` }),
  });
}
