import { projectInForce } from "@capstan/engine";
import type { AppProject } from "@capstan/model";
import type { ApplicationNeeds } from "./application-needs.ts";

/** The project that an application is judged by, with what global projects and the settings add to it. */
export function findProject(
  {
    projects,
    settings,
    controlNamespace,
  }: Pick<ApplicationNeeds, "projects" | "settings" | "controlNamespace">,
  name: string,
): AppProject | undefined {
  const projectOf = (one: string) => projects.get(`${controlNamespace}/${one}`);
  const own = projectOf(name);
  return own && projectInForce(own, { settings: settings.current, projectOf });
}
