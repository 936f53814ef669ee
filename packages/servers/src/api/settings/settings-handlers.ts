import type { HandlerOf } from "../../call.ts";
import type { ApiContext } from "../context.ts";
import { accountsOf } from "../session/accounts.ts";
import { loginSettings } from "./login-settings.ts";
import { resourceOverrides } from "./resource-overrides.ts";

export interface SettingsNeeds extends Pick<ApiContext, "settings" | "repo" | "controlNamespace"> {
  /** The cluster is the embedded one, in which nothing really runs. */
  simulatedCluster: boolean;
  /** The operator's own, which the page runs. */
  pageScripts: { readonly text: string | undefined };
  version: string;
}

/** Somebody without a token gets what the login page needs (Argo CD: server/settings). */
export function getSettings(context: SettingsNeeds): HandlerOf<"getSettings"> {
  return async (_request, { user }) => {
    const { general } = context.settings.current;
    const { tracking, page, impersonation, terminal } = general;
    return {
      url: general.url ?? "",
      additionalUrls: [...general.additionalUrls],
      appLabelKey: tracking.instanceLabelKey,
      trackingMethod: tracking.method,
      statusBadgeEnabled: page.badgeEnabled,
      userLoginsDisabled: !accountsOf(context.settings.current).some(
        ({ enabled, capabilities }) => enabled && capabilities.includes("login"),
      ),
      ...loginSettings(general),
      execEnabled: terminal.enabled,
      appsInAnyNamespaceEnabled: Boolean(context.settings.current.params["application.namespaces"]),
      hydratorEnabled: false,
      ...text("statusBadgeRootUrl", page.badgeRootUrl),
      ...text("uiCssURL", page.cssUrl),
      googleAnalytics: { ...text("trackingID", page.analyticsId), anonymizeUsers: page.anonymizeUsers },
      help: {
        ...text("chatUrl", page.chatUrl),
        ...text("chatText", page.chatText),
        binaryUrls: { ...page.binaryUrls },
      },
      plugins: [],
      simulatedCluster: context.simulatedCluster,
      ...(context.pageScripts.text === undefined ? {} : { pageExtensions: true }),
      ...(user.name === ""
        ? {}
        : {
            controllerNamespace: context.controlNamespace,
            passwordPattern: general.passwordPattern,
            ...text("installationID", tracking.installationId),
            impersonationEnabled: impersonation.enabled,
            resourceOverrides: resourceOverrides(general),
            kustomizeOptions: { buildOptions: general.kustomizeBuildOptions ?? "" },
            kustomizeVersions: Object.keys(general.kustomizeVersions).sort(),
            ...text("uiBannerContent", page.bannerContent),
            ...text("uiBannerURL", page.bannerUrl),
            ...text("uiBannerPosition", page.bannerPosition),
            uiBannerPermanent: page.bannerPermanent,
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
