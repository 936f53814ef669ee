import { allSettings, settingsReport } from "@capstan/engine";
import { isLiveSet, type Manifest } from "@capstan/model";
import type { HandlerOf } from "../../call.ts";
import { isProject } from "../access/find-project.ts";
import { applicationObject } from "../access/rights.ts";
import { isApplication } from "../application/read-application.ts";
import { allowsSet } from "../application-set/find-application-set.ts";
import type { ApiContext } from "../context.ts";

type Needs = Pick<ApiContext, "live" | "rights" | "settings" | "controlNamespace">;

/** What is set and not honoured, as far as the caller may see the things that carry it. */
export function reportSettings(context: Needs): HandlerOf<"reportSettings"> {
  const { live, rights, settings, controlNamespace } = context;
  return async ({ all }, { user }) => {
    if (all === true) return { items: allSettings() };
    const action = "get";
    const ofGroup = (kind: string): readonly Manifest[] => live.ofKind("argoproj.io", kind);
    const projects = ofGroup("AppProject").filter(isProject);
    const applications = ofGroup("Application").filter(isApplication);
    const sets = ofGroup("ApplicationSet").filter(isLiveSet);
    const seesSettings = rights.allows(user, { resource: "clusters", action, object: "*" });
    const items = settingsReport({
      ...(seesSettings ? { settings: settings.current } : {}),
      applications: applications.filter((app) =>
        rights.allows(user, {
          resource: "applications",
          action,
          object: applicationObject(app, controlNamespace),
        }),
      ),
      projects: projects.filter(
        ({ metadata }) =>
          metadata.namespace === controlNamespace &&
          rights.allows(user, { resource: "projects", action, object: metadata.name }),
      ),
      applicationSets: sets.filter((set) => allowsSet(context, user, { action, set })),
    });
    return { items };
  };
}
