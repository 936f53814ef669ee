import { permitsNamespace } from "@capstan/engine";
import { type Application, isApplication, type Manifest, projectOf, sourcesOf } from "@capstan/model";
import {
  appDetails,
  isRefOnly,
  type RepoFactSource,
  renderRequests,
  revisionRequest,
} from "@capstan/planning";
import { findProject } from "../project/find-project.ts";
import type { NotificationNeeds } from "./notification-needs.ts";

/** What `repo` tells of an application: of what its project permits, of its first source. */
export function repoFactSource(needs: NotificationNeeds, app: Manifest): RepoFactSource {
  return {
    async commit(revision, signal) {
      const { project, source } = sourceOf(needs, app);
      const request = revisionRequest(needs, project, { source, revision });
      return await needs.repo.revisionMetadata(request, signal);
    },
    async details(signal) {
      const { application, project, source } = sourceOf(needs, app);
      const { discovery } = needs.clusters.forDestination(application.spec.destination);
      const input = { app: application, project, discovery, sources: [source] };
      const [request] = await renderRequests(needs, input, signal);
      if (!request) throw new Error("the application has no source that gives manifests");
      return appDetails(source, await needs.repo.describeSource(request, signal));
    },
  };
}

function sourceOf(needs: NotificationNeeds, app: Manifest) {
  if (!isApplication(app)) throw new Error("the Application is not valid");
  const application: Application = app;
  const source = sourcesOf(application).find((one) => !isRefOnly(one));
  if (!source) throw new Error("the application has no source");
  const name = projectOf(application);
  const project = findProject(needs, name);
  const { namespace = "" } = app.metadata;
  // Whoever may write Applications in some namespace shall not learn of every project's repositories.
  if (!project || !permitsNamespace(project, namespace, needs.controlNamespace))
    throw new Error(`there is no project ${name} for Applications in ${namespace}`);
  return { application, project, source };
}
