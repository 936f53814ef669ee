import { useProjects } from "../../queries/places.ts";
import { useCanEach } from "../../queries/rights.ts";
import { rightToCreate } from "../application-rights.ts";

/** Whether there is a project in which whoever looks at the page may make applications. */
export function useMayCreate(): boolean {
  const projects = useProjects().data?.items ?? [];
  return useCanEach(["*", ...projects.map(({ metadata }) => metadata.name)].map(rightToCreate)).some(Boolean);
}
