import { eventLabels } from "@capstan/engine";
import { createEventRecorder, type EventRecorder } from "@capstan/kube";
import { type Application, type AppProject, argoApiVersion, isApplication, projectOf } from "@capstan/model";
import { ObjectStore } from "../loop/object-store.ts";
import type { ApplicationControllerInput } from "./application-controller-input.ts";
import { applicationScope } from "./application-scope.ts";
import { isAppProject } from "./read-objects.ts";

type Input = Pick<ApplicationControllerInput, "kube" | "settings" | "clock" | "log" | "namespace">;

/** Applications and projects, kept up to date. */
export function openStores({ kube: client, settings, clock, log, namespace }: Input): {
  apps: ObjectStore<Application>;
  projects: ObjectStore<AppProject>;
} {
  const store = { client, clock, log };
  const apps = new ObjectStore({
    ...store,
    ...applicationScope(settings.current, namespace),
  });
  const projects = new ObjectStore({
    ...store,
    is: isAppProject,
    query: { apiVersion: argoApiVersion, kind: "AppProject", namespace },
  });
  return { apps, projects };
}

/** Told of applications, with the labels that the settings ask for. */
export function applicationEvents(
  { kube: client, settings, clock, log, namespace }: Input,
  projects: ObjectStore<AppProject>,
  signal: AbortSignal,
): EventRecorder {
  return createEventRecorder({
    client,
    component: "argocd-application-controller",
    clock,
    log,
    signal,
    labelsOf: (about) => {
      const { eventLabelKeys } = settings.current.general;
      if (eventLabelKeys.include.length === 0 || !isApplication(about)) return undefined;
      const project = projects.get(`${namespace}/${projectOf(about)}`);
      return eventLabels(about, project, eventLabelKeys);
    },
  });
}
