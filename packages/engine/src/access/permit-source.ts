import { type ApplicationSource, type AppProject, CapstanError, isChartName } from "@capstan/model";
import { permitsSource } from "./project-rules.ts";

/** The project permits its applications this address. Made here alone; without it kube hands out no credentials. */
class GivenSource {
  readonly #url: string;
  readonly #project: string;

  constructor(url: string, project: string) {
    this.#url = url;
    this.#project = project;
  }

  get url(): string {
    return this.#url;
  }

  get project(): string {
    return this.#project;
  }
}

export type PermittedSource = GivenSource;

/**
 * A source of an application, of its operation or of its history, by the rules of its project as they are now. A chart
 * that leads out of its repository is refused whatever they say.
 */
export function permitSource(
  project: AppProject,
  { repoURL, chart }: Pick<ApplicationSource, "repoURL" | "chart">,
): PermittedSource {
  const { name } = project.metadata;
  if (!permitsSource(project, repoURL))
    throw new CapstanError({ code: "SOURCE_FORBIDDEN", project: name, repository: repoURL });
  if (chart && !isChartName(chart)) {
    const problem = `"${chart}" is no name of a chart: letters, digits, ".", "_" and "-", with "/" between`;
    throw new CapstanError({ code: "INVALID_ARGUMENT", field: "spec.source.chart", problem });
  }
  return new GivenSource(repoURL, name);
}

/**
 * A repository that a set of the control namespace reads whose project is a template, which only the operator can
 * write: with what repositories of no project have (applicationset/generators GitGenerator resolveProjectName).
 */
export function permitSharedSource(repoURL: string): PermittedSource {
  return new GivenSource(repoURL, "");
}
