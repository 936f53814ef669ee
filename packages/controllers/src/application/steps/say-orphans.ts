import { keyText, readInstanceName } from "@capstan/model";
import { countOrphans, findOrphans } from "@capstan/planning";
import { type ComparedRun, draftedApp, setConditions } from "../application-run.ts";

/** Says how many objects of its namespace no application has, where the project asks for it. */
export function sayOrphans({ run, project, tenant, comparison }: ComparedRun): void {
  const { memory, needs, draft } = run;
  const { orphanedResources } = project.spec;
  const { namespace } = draft.spec.destination;
  if (!orphanedResources || !namespace) {
    memory.orphans = undefined;
    setConditions(run, ["OrphanedResourceWarning"], []);
    return;
  }
  const { controlNamespace, apps } = needs;
  const roots = findOrphans({
    app: draftedApp(run),
    project,
    cluster: tenant,
    isApplication: (instance) => {
      const { namespace: place, name } = readInstanceName(instance, controlNamespace);
      return apps.get(`${place}/${name}`) !== undefined;
    },
    own: new Set(comparison.resources.map(({ key }) => keyText(key))),
  });
  const count = countOrphans(roots, tenant);
  memory.orphans = { server: tenant.server, namespace, count };
  const isSaid = count > 0 && orphanedResources.warn === true;
  const message = `Application has ${count} orphaned resources`;
  setConditions(
    run,
    ["OrphanedResourceWarning"],
    isSaid ? [{ type: "OrphanedResourceWarning", message }] : [],
  );
}
